"""What ingestion costs: processor time of 1,000 PDF pages, of 300 small files, of 5 MB of text.

    python -m tests.evals.bench_corpus [--pages N] [--files N] [--megabytes N] [--data FOLDER]

Documents are generated. Of each it says the processor time of `ingest` in a new home, all but
embedding, whose rate `corpus embed` tells, and where it goes: parsing, facts by the rules, the
start (Python, its modules, a new database), and what is left, which is storing. Postgres' own
time, which is none of the command's, stands beside it.
With a folder of published policies it says how many labelled titles and parents are right, and how
many of the judged facts. Ends with an error where a goal is missed by more than other work on the
machine explains: twice as much.
"""

import argparse
import io
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import psutil
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.platypus import Flowable, PageBreak, Paragraph, SimpleDocTemplate

from core.ingest.prepare import Prepared, prepare
from core.ontology.extract.rule_extractor import extract
from core.ports.extraction import SourceDocument

ROOT = Path(__file__).parents[2]
SENTENCES = (
    "Staff must report gifts above EUR {n} to the Compliance Officer within {m} working days.",
    "The Line Manager may approve travel up to EUR {n}, unless Section {m} says otherwise.",
    "Records of case {n} are kept for {m} years by the Legal Department, and no longer.",
    "Nobody may use the account of somebody else, also when both work on matter {n}.",
    "A request is sent by form {n} at least {m} days in advance, with the reason and the costs.",
    "What this rule means for part-time employees is explained by Human Resources every year.",
)
PLAIN = (
    "The idea behind chapter {n} is that people decide well once they know what others rely on.",
    "It was written together with colleagues from several countries, who told of their own cases.",
    "Good answers come from open talk, and from the habit of writing down what was agreed.",
    "Some of what follows is familiar from subject {n}; the examples are meant to make it vivid.",
)
"""Sentences that rule nothing: with one rule in five, a text has as many facts as published codes
do, some four for a thousand characters."""
GOALS = {"1,000 PDF pages": 20.0, "300 small files": 20.0, "5 MB of text": 15.0}
_T = TypeVar("_T")


def section(number: int, paragraphs: int) -> list[str]:
    """Return a heading and paragraphs of five sentences, each with other numbers."""
    lines = [f"{number} Rules about subject {number}"]
    for at in range(paragraphs):
        known = {"n": 100 + number * 7 + at, "m": 2 + (number + at) % 28}
        rule = SENTENCES[(number + at) % len(SENTENCES)]
        lines.append(" ".join(said.format(**known) for said in (*PLAIN, rule)))
    return lines


def pdf(pages: int) -> bytes:
    """Return a PDF with so many pages of some 2,200 characters."""
    styles, buffer = getSampleStyleSheet(), io.BytesIO()
    flow: list[Flowable] = []
    for number in range(1, pages + 1):
        for place, line in enumerate(section(number, 5)):
            flow.append(Paragraph(line, styles["Heading2" if place == 0 else "BodyText"]))
        flow.append(PageBreak())
    SimpleDocTemplate(buffer).build(flow)
    return buffer.getvalue()


def text(megabytes: int) -> bytes:
    """Return a text of so many megabytes."""
    lines: list[str] = []
    size, number = 0, 0
    while size < megabytes * 1024 * 1024:
        number += 1
        more = section(number, 9)
        lines += more
        size += sum(len(line) + 2 for line in more)
    return "\n\n".join(lines).encode()


def timed(run: Callable[[], _T]) -> tuple[_T, float]:
    """Return a result, and the processor time that it took, in seconds."""
    before = time.process_time()
    return run(), time.process_time() - before


def facts(prepared: Prepared) -> None:
    """Read the facts of a document by the rules."""
    extract(
        SourceDocument(
            text=prepared.document.text,
            sections=prepared.sections,
            policy_key=prepared.metadata.key,
            title=prepared.metadata.title,
            jurisdiction=None,
        )
    )


@dataclass(frozen=True, slots=True)
class Cost:
    """What a command took."""

    processor_s: float
    """Of the command and its children."""
    postgres_s: float
    """Of the database, up to its end or a little less."""
    memory_mb: float
    """The most that one process of any command so far held."""


def ingested(folder: Path) -> Cost:
    """Ingest a folder without chunks in a new home."""
    with tempfile.TemporaryDirectory() as home:
        Path(home).chmod(
            0o755
        )  # else root's database, which runs as another user, is kept elsewhere
        known = {**os.environ, "CITEBOUND_HOME": home}  # noqa: TID251  # the child's own
        known.pop("DATABASE_URL", None)
        words = (sys.executable, "-m", "bot", "ingest", "--no-rag", str(folder))
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        postgres_s = 0.0
        with subprocess.Popen(words, env=known, cwd=ROOT, stdout=subprocess.DEVNULL) as child:  # noqa: S603  # this program itself
            while child.poll() is None:
                postgres_s = max(postgres_s, postgres_time(Path(home)))
                with suppress(subprocess.TimeoutExpired):
                    child.wait(timeout=0.2)
        if child.returncode:
            raise RuntimeError(f"expected files to be ingested, got status {child.returncode}")
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Cost(used, postgres_s, after.ru_maxrss / 1024)


def postgres_time(home: Path) -> float:
    """Return the processor time of the database of a home so far; 0: it does not run."""
    with suppress(OSError, ValueError, IndexError, psutil.Error):
        pid_file = next(home.rglob("postmaster.pid"), None)
        if pid_file is not None:
            server = psutil.Process(int(pid_file.read_text("utf-8").splitlines()[0]))
            own = sum(server.cpu_times()[:4])
            return own + sum(sum(child.cpu_times()[:2]) for child in server.children())
    return 0.0


def quality(data: Path) -> None:
    """Print how many labelled sections and judged facts are right."""
    labels = ROOT / "tests/unit/ingest/labelled_sections.jsonl"
    known = [json.loads(line) for line in labels.read_text("utf-8").splitlines()]
    right = 0
    for name in dict.fromkeys(one["file"] for one in known):
        found = prepare((data / "policies" / name).read_bytes(), source_name=name)
        there = {
            (
                " ".join(section.title.split()).casefold(),
                section.number,
                " ".join((section.path[-2] if len(section.path) > 1 else "").split()).casefold(),
            )
            for section in found.sections
        }
        right += sum(
            (
                " ".join(one["title"].split()).casefold(),
                one["number"],
                " ".join(one["parent"].split()).casefold(),
            )
            in there
            for one in known
            if one["file"] == name
        )
    print(f"titles and parents right: {right} of {len(known)}")
    for name, what in (
        ("judged_facts", "judged facts right"),
        ("judged_facts_unseen", "the same, of two more documents"),
        ("judged_facts_workplace", "the same, of other people's handbooks"),
        ("judged_facts_blind", "the same, of documents when they were first read"),
    ):
        judged = (ROOT / f"tests/unit/ontology/{name}.jsonl").read_text("utf-8")
        verdicts = [json.loads(line)["right"] for line in judged.splitlines()]
        print(f"{what}: {sum(verdicts)} of {len(verdicts)}")


def main() -> int:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, default=1_000)
    parser.add_argument("--files", type=int, default=300)
    parser.add_argument("--megabytes", type=int, default=5)
    parser.add_argument("--data", type=Path)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "one.md").write_bytes(b"# One\n\nNobody may wait.\n")
        start_s = ingested(Path(folder)).processor_s
    heads = ("parsing", "facts", "start", "storing", "all of ingest", "Postgres", "memory, MB")
    print(f"{'processor time, s':<18}" + "".join(f"{head:>14}" for head in heads))
    missed: list[str] = []
    small = {
        f"policy-{at}.md": "\n\n".join(section(at + 1, 3)).encode() for at in range(given.files)
    }
    for name, files in (
        ("1,000 PDF pages", {"long.pdf": pdf(given.pages)}),
        ("300 small files", small),
        ("5 MB of text", {"long.txt": text(given.megabytes)}),
    ):
        read_s = facts_s = 0.0
        with tempfile.TemporaryDirectory() as folder:
            for file, data in files.items():
                prepared, took = timed(lambda file=file, data=data: prepare(data, source_name=file))
                read_s += took
                facts_s += timed(lambda prepared=prepared: facts(prepared))[1]
                Path(folder, file).write_bytes(data)
            cost = ingested(Path(folder))
        whole_s = cost.processor_s
        stored_s = max(0.0, whole_s - read_s - facts_s - start_s)
        figures = (read_s, facts_s, start_s, stored_s, whole_s, cost.postgres_s)
        shown = "".join(f"{figure:>14.1f}" for figure in figures)
        print(f"{name:<18}{shown}{cost.memory_mb:>14.0f}", flush=True)
        if whole_s > 2 * GOALS[name]:
            missed.append(name)
    if given.data is not None:
        quality(given.data)
    if missed:
        print(f"missed by far: {', '.join(missed)}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
