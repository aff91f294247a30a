"""Answers and their times on labelled questions, over policies in a database of their own.

The database is embedded, below `CITEBOUND_HOME`/eval, whatever `DATABASE_URL` says: evaluation adds
nothing to a record that officers read. It is kept, so that a repeated run ingests nothing.
"""

import asyncio
import dataclasses
import sys
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from time import perf_counter

from rich.text import Text

from bot.console.ingest.ingest_files import Failed, ingest_all
from bot.console.ingest.sources import find_sources
from bot.console.open_service import opened
from bot.console.views.terminal import Terminal
from bot.console.views.verbose import cost_words
from core.adapters.system import UuidSource
from core.agent.rehearsal import rehearse_labelled
from core.agent.request import AskRequest
from core.bootstrap import Service
from core.config.settings import Settings
from core.domain.conversation import Place
from core.domain.errors import ConfigError
from core.domain.run import ModelCall, Run
from core.evals.answers import AnswersReport, LabelledQuestion, evaluate_answers
from core.evals.metrics import percentile
from core.ingest.prepare import NOTHING_GIVEN

EVALUATED_ON = date(2026, 6, 1)
"""The day whose rules count where a question names none: no figure depends on the calendar."""
STARTS = 5
"""Starts of the command that are timed."""


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


async def measure_answers(
    terminal: Terminal,
    questions: Sequence[LabelledQuestion],
    *,
    settings: Settings,
    policies: Path,
    ablate: bool,
) -> AnswersReport:
    """Ask all questions and compare outcome and quotes with their labels.

    Raises:
        ConfigError: The policies can't be ingested.
    """
    calls: list[ModelCall] = []
    async with _opened_with(terminal, settings, policies) as service:

        async def answer(question: LabelledQuestion, without: frozenset[tuple[str, str]]) -> Run:
            run = await rehearse_labelled(
                service.answering,
                question=question.question,
                thread=question.thread,
                scope=question.scope,
                without=without,
                today=EVALUATED_ON,
            )
            calls.extend(run.model_calls)
            return run

        async def quotes_stored(run: Run) -> bool:
            citations = run.answer.citations
            spans = [citation.span for citation in citations]
            stored = await service.corpus.read_spans(spans, run.question.scope)
            return all(stored.get(citation.span) == citation.quote for citation in citations)

        with terminal.busy("Asking") as notify:
            report = await evaluate_answers(
                questions,
                answer=answer,
                quotes_stored=quotes_stored,
                ablate=ablate,
                progress=lambda done, total: notify(f"Asked {done} of {total}"),
            )
        if calls:
            terminal.remark(Text(f"{len(calls)} calls of language models, {cost_words(calls)}"))
        return report


async def measure_latency(
    terminal: Terminal, questions: Sequence[LabelledQuestion], *, policies: Path
) -> LatencyReport:
    """Time each question as `ask` answers it, and the start of the command.

    Raises:
        ConfigError: The policies can't be ingested.
    """
    async with _opened_with(terminal, Settings.from_environment(), policies) as service:
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


@asynccontextmanager
async def _opened_with(
    terminal: Terminal, settings: Settings, policies: Path
) -> AsyncGenerator[Service]:
    own = dataclasses.replace(settings, database_url=None, home=settings.home.expanduser() / "eval")
    sources = find_sources([policies], given=NOTHING_GIVEN).sources
    say_price(terminal, own)
    async with opened(terminal, own) as service:
        with terminal.busy("Reading the policies") as notify:
            async for item in ingest_all(service.ingestor, sources, with_chunks=True):
                if isinstance(item.result, Failed):
                    raise ConfigError(f"{item.path} can't be ingested: {item.result.reason}")
                notify(f"Read {item.path.name}")
        yield service


def say_price(terminal: Terminal, settings: Settings) -> None:
    """Say beforehand that a model is asked, and how to ask none."""
    if settings.uses_model:
        terminal.remark(
            Text(
                f"Each question is put to {settings.model}, which has its price;"
                " CITEBOUND_REASONER=extractive asks the rules alone"
            )
        )


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
