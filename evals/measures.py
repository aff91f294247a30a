"""What is measured by those who develop Citebound: `python -m evals WHAT`; --help lists it.

Search on published question sets, the checks of statements, and how long an answer takes. What an
operator measures on documents of their own is `citebound eval`. Not installed.
"""

import asyncio
import dataclasses
import sys
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

from rich.text import Text

from bot.console.options import JSON, command, group, option, positive
from bot.console.views.terminal import Terminal, open_terminal
from core.adapters.postgres.access import migration_url
from core.adapters.system import UuidSource
from core.agent.request import AskRequest
from core.bootstrap import Service
from core.config.settings import Settings
from core.domain.conversation import Place
from core.domain.errors import ConfigError, UsageError
from core.models import LOCAL, NoReader, find_guard, find_reader, open_embedders
from core.ports import Reader
from core.retrieval.serving_embedder import NoEmbedder
from evals import statements
from evals.measuring.commands.evaluate import check_exists, policies_beside, print_figures
from evals.measuring.corpora import EVALUATED_ON, open_with_policies
from evals.measuring.estimates import percentile
from evals.measuring.questions import LabelledQuestion, load_questions
from evals.retrieval import RetrievalReport, report_lines
from evals.retrieval_corpus import evaluate_retrieval

STARTS = 5
"""Starts of the command that are timed."""
_QUESTIONS = option("--questions", type=Path, required=True, metavar="FILE", help="questions")
EVALS = group(
    "python -m evals",
    command(
        "retrieval",
        "evals.measures:retrieval",
        option("--dataset", choices=("obliqa", "xref"), required=True, help="how it is labelled"),
        option("--documents", type=Path, required=True, metavar="DIR", help="passages, JSON"),
        _QUESTIONS,
        option("--limit", type=positive, metavar="N", help="the first N questions only"),
        option(
            "--space",
            default=LOCAL,
            metavar="SPACE",
            help="voyage or voyage:MODEL; default: local",
        ),
        option("--lexical-only", action="store_true", help="without the embedder"),
        option("--reader", action="store_true", dest="reads", help="with the reader"),
        JSON,
        short="does search find the gold passages?",
        text="""Loads passages as chunks into a database of its own (embedded once, then kept),
searches each question and prints recall@10, map@10, all_gold@10, pack_both, p50_ms and p99_ms.
`--reader` has the reader order the hits, as answering does; the times then include it.""",
        examples="""\
  python -m evals retrieval --dataset obliqa --documents documents --questions dev.json
  python -m evals retrieval --dataset obliqa --documents documents --questions dev.json \\
      --limit 200 --lexical-only
  python -m evals retrieval --dataset xref --documents documents --questions dev.jsonl --json""",
    ),
    command(
        "gate",
        "evals.gate:gate",
        option("--data", type=Path, required=True, metavar="DIR", help="folder of test data"),
        option(
            "--set",
            dest="sets",
            action="append",
            default=[],
            metavar="NAME",
            help="this one only; may be repeated",
        ),
        option("--accept", dest="accepts", action="store_true", help="accept what was measured"),
        JSON,
        short="does a figure fall behind the last accepted one?",
        text="""Asks the offline sets (samples, dialogues, policies, workplace, statements), by the
rules alone, and holds each figure to the last one in evals/accepted.json; exit code 1 if one falls
short by more than its tolerance, or was never accepted. `--accept` adds what was measured to that
file and to the table of docs/quality.md. Sets that are not in DIR are skipped, and named. A run
that was interrupted goes on.""",
        examples="""\
  python -m evals gate --data ../shared/data
  python -m evals gate --data ../shared/data --set samples --accept""",
    ),
    command(
        "renderings",
        "evals.renderings:run_renderings",
        short="are altered translations of statements told from right ones?",
        text="""Holds labelled renderings in German, French and Spanish to the checks by code, and
what comes back of them when they are translated back, and prints what is turned away.""",
        examples="""\
  python -m evals renderings""",
    ),
    command(
        "latency",
        "evals.measures:latency",
        _QUESTIONS,
        option("--policies", type=Path, metavar="DIR", help="default: ../policies beside them"),
        JSON,
        short="how long does one wait?",
        text="""Asks labelled questions one at a time, recording included, and times the start of
the command with the database running.""",
        examples="""\
  python -m evals latency --questions samples/questions/test.jsonl""",
    ),
    command(
        "verify",
        "evals.measures:verify",
        option(
            "--pairs",
            type=Path,
            required=True,
            metavar="FILE",
            help="statements with the texts they cite, JSON lines",
        ),
        option(
            "--guard",
            type=Path,
            metavar="DIR",
            help="another guard than the shipped one: a folder with model.onnx and tokenizer.json",
        ),
        JSON,
        short="are right statements kept, wrong ones dropped?",
        text="""Holds labelled statements against the texts that they cite, by the checks that every
statement of an answer passes, and prints false alarms (supported statements that are rejected, by
check) and misses (unsupported ones that pass, by kind). Needs no database and no model.

Each line of the file is one JSON object:

  {"claim": "You have 15 days to file.", "sources": ["File within fifteen (15) days."],
   "supported": true, "kind": "faithful"}

`sources` are the cited texts in order, an item after its lead-in, a table row after its header.
`kind` says how it was made (faithful, neg, num, ...). `heading` may name the section, `question`
what was asked: its figures are no claims.""",
        examples="""\
  python -m evals verify --pairs statements.jsonl
  python -m evals verify --pairs statements.jsonl --json""",
    ),
    text="Measures what those who develop Citebound want to know; see also `citebound eval`.",
    examples="""\
  python -m evals latency --questions samples/questions/test.jsonl
  python -m evals verify --pairs statements.jsonl""",
)


def retrieval(*, space: str, lexical_only: bool, reads: bool, as_json: bool, **asked: Any) -> int:
    """Measure search on a published question set; see `evaluate_retrieval`."""
    check_exists(asked["documents"])
    check_exists(asked["questions"])
    terminal = open_terminal()
    report = asyncio.run(
        _retrieval(terminal, asked, space=space, lexical_only=lexical_only, reads=reads)
    )
    names = {"recall": "recall@10", "average_precision": "map@10", "all_gold": "all_gold@10"}
    value = {names.get(name, name): one for name, one in dataclasses.asdict(report).items()}
    print_figures(terminal, report_lines(report), value, as_json=as_json)
    return 0


async def _retrieval(
    terminal: Terminal, asked: dict[str, Any], *, space: str, lexical_only: bool, reads: bool
) -> RetrievalReport:
    settings = Settings.from_environment()
    async with AsyncExitStack() as stack:
        embedders = await stack.enter_async_context(open_embedders(settings))
        found = embedders.named(space)
        if isinstance(found, NoEmbedder) and space != LOCAL:
            raise ConfigError(f"{space} can't be measured: {found.reason}")
        if isinstance(found, NoEmbedder) and not lexical_only:
            terminal.remark(Text(f"note: {found.reason}; measured by words alone"))
        reader = await find_reader(settings) if reads else None
        if isinstance(reader, NoReader):
            raise ConfigError(f"nothing can be measured with a reader: {reader.reason}")
        notify = stack.enter_context(terminal.busy("Opening the database"))
        return await evaluate_retrieval(
            await migration_url(settings),
            lexical_only=lexical_only,
            embedder=None if isinstance(found, NoEmbedder) else found,
            reader=reader,
            progress=notify,
            **asked,
        )


def verify(*, pairs: Path, guard: Path | None, as_json: bool) -> int:
    """Measure the checks of statements, by code alone and with the guard."""
    check_exists(pairs)
    terminal = open_terminal()
    lines, value = asyncio.run(_verify(terminal, pairs, guard))
    print_figures(terminal, lines, value, as_json=as_json)
    return 0


async def _verify(
    terminal: Terminal, pairs: Path, folder: Path | None
) -> tuple[list[str], dict[str, object]]:
    labelled = statements.load_statements(pairs)
    if not labelled:
        raise UsageError(f"{pairs} has no statements to check")
    with terminal.busy("Checking") as notify:

        def tell(done: int, total: int) -> None:
            notify(f"Checked {done} of {total}")

        alone = statements.evaluate_statements(labelled, progress=tell)
        lines, value = statements.report_lines(alone), statements.report_json(alone)
        guard = await _guard(folder)
        if guard is None:
            return lines, value
        supports = await statements.guard_supports(labelled, guard, progress=tell)
        both = statements.evaluate_statements(labelled, supports=supports)
    lines = ["by code alone", *lines, "", f"with {guard.name}", *statements.report_lines(both)]
    return lines, {**value, "with_guard": statements.report_json(both)}


async def _guard(folder: Path | None) -> Reader | None:
    """Return the guard that is shipped, another one, or None where the settings want none."""
    settings = Settings.from_environment()
    if folder is None:
        shipped = await find_guard(settings)
        if isinstance(shipped, NoReader) and not shipped.is_chosen:
            raise ConfigError(shipped.reason)
        return None if isinstance(shipped, NoReader) else shipped
    try:
        found = await find_reader(dataclasses.replace(settings, reader_model=folder))
    except ConfigError as error:
        cause = str(error).removeprefix("CITEBOUND_READER_MODEL: ")
        raise UsageError(f"--guard: {cause}") from error
    if isinstance(found, NoReader):
        raise ConfigError(found.reason)
    return found


def latency(*, questions: Path, policies: Path | None, as_json: bool) -> int:
    """Time answers, and the start of the command."""
    asked = load_questions(questions)
    terminal, folder = open_terminal(), policies_beside(questions, policies)
    report = asyncio.run(measure_latency(terminal, asked, policies=folder))
    print_figures(terminal, latency_lines(report), dataclasses.asdict(report), as_json=as_json)
    return 0


@dataclass(frozen=True, slots=True, kw_only=True)
class LatencyReport:
    """How long it takes, as people wait for it: recording included."""

    questions: int
    """Questions asked, one at a time."""
    first_ms: float
    """The first question, which reads the ontology."""
    p50_ms: float
    """Median of the others."""
    p99_ms: float
    """99th percentile of the others."""
    start_p50_ms: float
    """Median of `citebound audit list`, which opens all that `ask` does; the database runs."""


async def measure_latency(
    terminal: Terminal, questions: Sequence[LabelledQuestion], *, policies: Path
) -> LatencyReport:
    """Time each question as `ask` answers it, and the start of the command.

    Raises:
        ConfigError: The policies can't be ingested.
    """
    async with open_with_policies(terminal, Settings.from_environment(), policies) as service:
        times: list[float] = []
        with terminal.busy("Asking") as notify:
            for question in questions:
                times.append(await _time_one(service, question.question))
                notify(f"Asked {len(times)} of {len(questions)}")
            starts = [await _time_start(service.settings) for _ in range(STARTS)]
    return LatencyReport(
        questions=len(times),
        first_ms=times[0],
        p50_ms=percentile(times[1:], 0.5),
        p99_ms=percentile(times[1:], 0.99),
        start_p50_ms=percentile(starts, 0.5),
    )


def latency_lines(report: LatencyReport) -> list[str]:
    """Return the report for a terminal, a figure a line."""
    return [
        f"{report.questions} questions, one at a time, recorded",
        f"first_ms     {report.first_ms:.0f}",
        f"p50_ms       {report.p50_ms:.0f}",
        f"p99_ms       {report.p99_ms:.0f}",
        f"start_p50_ms {report.start_p50_ms:.0f}",
    ]


async def _time_one(service: Service, question: str) -> float:
    place = Place(thread=UuidSource().new())
    request = AskRequest(text=question, place=place, as_of=EVALUATED_ON)
    started_s = perf_counter()
    await service.answering.ask(request)
    return (perf_counter() - started_s) * 1_000


async def _time_start(settings: Settings) -> float:
    command = ("/usr/bin/env", "-u", "DATABASE_URL", f"CITEBOUND_HOME={settings.home}")
    started_s = perf_counter()
    process = await asyncio.create_subprocess_exec(
        *command, sys.executable, "-m", "bot", "audit", "list", stdout=asyncio.subprocess.DEVNULL
    )
    if await process.wait():
        raise ConfigError("the command did not start: run `citebound doctor`")
    return (perf_counter() - started_s) * 1_000
