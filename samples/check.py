"""Check the sample policies and the questions asked of them; write nothing.

After `build.py`, before an evaluation run. Rules:

- A built file equals what its source builds today.
- Every gold section exists in the version in force for the asker, and the asker may read it.
- Every quote occurs, white space folded, in a gold section and in the text of the built file; of a
  fact about a policy, one at least occurs in its text or its entry of the manifest.
- A dialogue has earlier turns, and none of them says how it ended.
- No question occurs in two sets.

Usage: `python samples/check.py`, with the development dependencies.
"""

from __future__ import annotations

import html
import json
import re
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any, TypeAlias

import docx
import pypdfium2
from build import BUILDERS, POLICIES, SAMPLES, SOURCES, build, content
from policy_source import BUILT_AT, Document, Heading, Items, Paragraph, Table, parse, plain

QUESTIONS = SAMPLES / "questions"
MANIFEST = "citebound.toml"
SETS = ("train", "dev", "dev2", "dev3", "test", "dialogues")
KINDS = {
    "graph",
    "chunks",
    "two_policies",
    "facts",
    "ambiguous",
    "unanswerable",
    "off_topic",
    "sensitive",
    "small_talk",
}
OUTCOMES = {"answered", "clarification", "refused", "escalated", "ignored"}
REFUSALS = {None, "policy_silent", "not_found", "out_of_scope", "not_permitted", "conflict"}
WHOLE = ""
"""Section of a fact that stands in none: it is a policy's own."""
FIELDS: set[str] = {
    "id",
    "question",
    "kind",
    "expected",
    "refusal",
    "gold",
    "must_quote",
    "thread",
    "scope",
    "options",
}

Question: TypeAlias = dict[str, Any]


def fold(text: str) -> str:
    """Make every run of white space one space."""
    return " ".join(text.split())


def sections_of(document: Document) -> dict[str, str]:
    """Map each section number, as printed, to its text, that of its sub-sections included."""
    texts: dict[str, list[str]] = {}
    section = ""
    path: list[str] = []
    for block in document.blocks[2:]:
        match block:
            case Heading(level=2):
                number = re.match(r"(\d+)\.|((?:Annex|Schedule) \w+):", block.text)
                if number is None:
                    raise ValueError(f"a section without number: {block.text}")
                section = str(number[1] or number[2])
                path = [section]
                pieces = (block.text,)
            case Heading():
                path = [section, block.text.split()[0]]
                pieces = (block.text,)
            case Paragraph():
                if numbered := re.match(r"\d+\.\d+ ", block.text):
                    path = [section, numbered[0].strip()]
                pieces = (plain(block.text),)
            case Items():
                pieces = block.texts
            case Table():
                pieces = tuple(cell for row in (block.head, *block.rows) for cell in row)
        for number in path:
            texts.setdefault(number, []).extend(pieces)
    return {number: fold(" ".join(pieces)) for number, pieces in texts.items()}


def text_of(file: Path) -> str:
    """Read the text of a built file as a loader would, with white space folded."""
    match file.suffix:
        case ".pdf":
            pages = [page.get_textpage().get_text_range() for page in pypdfium2.PdfDocument(file)]
            # The running header is the first line of a page, the footer the last.
            return fold(" ".join(" ".join(page.splitlines()[1:-1]) for page in pages))
        case ".docx":
            word = docx.Document(str(file))
            cells = (cell.text for table in word.tables for row in table.rows for cell in row.cells)
            return fold(" ".join((*(paragraph.text for paragraph in word.paragraphs), *cells)))
        case ".html":
            return fold(html.unescape(re.sub(r"<[^>]+>", " ", file.read_text(encoding="utf-8"))))
        case _:
            return fold(plain(file.read_text(encoding="utf-8")))


@dataclass(frozen=True, slots=True, kw_only=True)
class Version:
    """A version of a policy, as listed in the manifest."""

    file: str
    sections: dict[str, str]
    text: str
    about: str
    """What the manifest says of it."""
    effective_from: date
    effective_until: date | None
    """The last day; None while in force."""
    jurisdiction: str | None
    audience: frozenset[str]

    def is_in_force(self, day: date) -> bool:
        """Say whether the version applies on a day."""
        until = self.effective_until
        return self.effective_from <= day and (until is None or day <= until)


Policies: TypeAlias = dict[str, list[Version]]


def load_manifest() -> Policies:
    """Read the manifest; versions by key of the policy, in the order of the manifest."""
    manifest = tomllib.loads((POLICIES / MANIFEST).read_text(encoding="utf-8"))
    versions: Policies = {}
    for entry in manifest["policy"]:
        file = POLICIES / entry["file"]
        source = SOURCES / f"{file.stem}.md" if file.name in BUILDERS else file
        document = parse(source.read_text(encoding="utf-8"))
        if (entry["title"], entry["label"]) != (document.title, document.version):
            raise ValueError(f"{file.name}: title or label differs from the manifest")
        version = Version(
            file=file.name,
            sections=sections_of(document),
            text=text_of(file),
            about=fold(" ".join(map(str, entry.values()))),
            effective_from=entry["effective_from"],
            effective_until=entry.get("effective_until"),
            jurisdiction=entry.get("jurisdiction"),
            audience=frozenset(entry.get("audience", ())),
        )
        versions.setdefault(entry["key"], []).append(version)
    return versions


def faults_of_question(question: Question, policies: Policies) -> Iterator[str]:
    """Say what is wrong with one question."""
    if set(question) != FIELDS:
        yield f"fields differ: {set(question) ^ FIELDS}"
        return
    expected, kind, refusal = set(question["expected"]), question["kind"], question["refusal"]
    rules = {
        f"kind {kind}": kind in KINDS,
        f"expected {expected}": bool(expected) and expected <= OUTCOMES,
        f"refusal {refusal}": refusal in REFUSALS,
        "a refusal kind that is not expected": refusal is None or "refused" in expected,
        "an answer needs gold and must_quote": "answered" not in expected
        or (bool(question["gold"]) and (bool(question["must_quote"]) or kind == "facts")),
        "ambiguous without clarification": kind != "ambiguous" or "clarification" in expected,
    }
    yield from (rule for rule, is_kept in rules.items() if not is_kept)
    yield from faults_of_gold(question, policies)


def faults_of_gold(question: Question, policies: Policies) -> Iterator[str]:
    """Say which gold sections do not exist for the asker, and which quotes they do not hold."""
    scope = question["scope"]
    day = date.fromisoformat(scope.get("as_of", BUILT_AT.date().isoformat()))
    found: set[str] = set()
    for gold in question["gold"]:
        live = [version for version in policies[gold["policy"]] if version.is_in_force(day)]
        if len(live) != 1:
            yield f"{len(live)} versions of {gold['policy']} on {day}"
            continue
        version = live[0]
        if version.audience and not version.audience & set(scope.get("groups", ())):
            yield f"{gold['policy']} is closed to the asker"
        whole = f"{version.text} {version.about}" if question["kind"] == "facts" else version.text
        sections = version.sections | ({WHOLE: whole} if question["kind"] == "facts" else {})
        if gold["section"] not in sections:
            yield f"no section {gold['section']} in {gold['policy']}"
            continue
        section = sections[gold["section"]]
        quotes = (quote for quote in question["must_quote"] if fold(quote) in section)
        found |= {quote for quote in quotes if fold(quote) in whole}
    if found and question["kind"] == "facts":  # the others are other ways to say it
        return
    for quote in question["must_quote"]:
        if quote not in found:
            yield f"not in a gold section, or not in the built file: {quote!r}"


def faults_of_files(policies: Policies) -> Iterator[str]:
    """Say which files are stale or not listed."""
    for file in BUILDERS:
        if content(build(file)) != content((POLICIES / file).read_bytes()):
            yield f"{file}: differs from its source, run samples/build.py"
    listed = {version.file for versions in policies.values() for version in versions}
    for path in sorted(POLICIES.iterdir()):
        if path.name not in listed | {MANIFEST}:
            yield f"{path.name}: not in the manifest"


def load_questions(name: str) -> list[Question]:
    """Read one set of questions."""
    lines = (QUESTIONS / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def faults_of_dialogue(dialogue: Question) -> Iterator[str]:
    """Say why a dialogue's earlier turns would not be asked."""
    if not dialogue["thread"]:
        yield "a dialogue without an earlier turn"
    if any(set(turn) != {"question"} for turn in dialogue["thread"]):
        yield "an earlier turn that says more than its question would not be asked"


def faults_of_sets(questions: list[Question]) -> Iterator[str]:
    """Say which ids and questions occur twice, within a set or across the sets."""
    ids = Counter(question["id"] for question in questions)
    texts = Counter(str([question["question"], question["thread"]]) for question in questions)
    yield from (f"{key}: repeated" for key, count in (ids + texts).items() if count > 1)


def check() -> Iterator[str]:
    """Say what is wrong with the built files and the questions."""
    policies = load_manifest()
    yield from faults_of_files(policies)
    questions = {name: load_questions(name) for name in SETS}
    for name, asked in questions.items():
        print(name, len(asked), dict(Counter(question["kind"] for question in asked)))
        for question in asked:
            faults = [*faults_of_question(question, policies)]
            faults += faults_of_dialogue(question) if name == "dialogues" else ()
            yield from (f"{question['id']}: {fault}" for fault in faults)
    yield from faults_of_sets([question for asked in questions.values() for question in asked])


def main() -> int:
    """Print what is wrong; fail if anything is."""
    faults = list(check())
    print("\n".join(faults) or "samples are in order")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
