"""`citebound eval`: measure answers on labelled questions about one's own documents.

The database is embedded, below `CITEBOUND_HOME`/eval, whatever `DATABASE_URL` says: evaluation adds
nothing to a record that officers read. It is kept, so that a repeated run ingests nothing, and one
that was interrupted goes on where it was.

Of a set of documents each is for an audience of its own, to which whoever asks of it belongs. Only
how rare a word is counts over all of them, which costs right answers: of 315 questions about eleven
documents the rules without a reader answered 95 right, and 103 with a database for each. So the
figures that are quoted are those with a database for each document, on the same server.
"""

import asyncio
import dataclasses
import hashlib
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from datetime import date
from fnmatch import fnmatchcase
from pathlib import Path
from time import perf_counter

from rich.text import Text

from bot.console.ingest.ingest_files import Failed, ingest_all, read_file
from bot.console.ingest.sources import absolute, find_sources
from bot.console.open_service import open_service
from bot.console.views.terminal import Terminal, one_line, open_terminal
from bot.console.views.verbose import cost_words
from core.adapters.postgres.access import migration_url
from core.adapters.postgres.engine.embedded import create_database
from core.agent.rehearsal import rehearse_labelled
from core.bootstrap import Service
from core.config.settings import Settings
from core.domain.errors import ConfigError, ContractError, UsageError
from core.domain.run import ModelCall, Run
from core.ingest.prepare import NOTHING_GIVEN, Overrides, key_of
from core.measuring.answers import (
    AnswersReport,
    LabelledQuestion,
    evaluate_answers,
    load_questions,
    report_json,
    report_lines,
)
from core.measuring.documents import (
    AskedQuestion,
    DocumentQuestion,
    DocumentsReport,
    asked_of,
    documents_json,
    documents_lines,
    load_document_questions,
    spread,
    without_answer,
)
from core.models import SWITCHED_OFF

EVALUATED_ON = date(2026, 6, 1)
"""The day whose rules count where a question names none: no figure depends on the calendar."""
_NAME_LENGTH = 12
"""Hexadecimal digits in the name of a folder or an audience."""
_SLOW_S = 10
"""Seconds from which on it is said how long a document took."""


def answers(
    *, questions: Path, policies: Path | None, ablate: bool, without_reader: bool, as_json: bool
) -> int:
    """Measure answers about one set of policies."""
    terminal, asked = open_terminal(), questions_in(questions)
    report = asyncio.run(
        measure_answers(
            terminal,
            asked,
            settings=_settings(without_reader=without_reader),
            policies=policies_beside(questions, policies),
            ablate=ablate,
        )
    )
    print_figures(terminal, report_lines(report), report_json(report), as_json=as_json)
    return 0


def documents(
    *,
    questions: Path,
    folder: Path | None,
    only: str,
    limit: int | None,
    is_alone: bool,
    without_reader: bool,
    as_json: bool,
) -> int:
    """Measure answers about documents, each alone; 1 if one was left out."""
    check_exists(questions)
    root = folder or questions.resolve().parent.parent
    check_exists(root)
    found = load_document_questions(questions)
    chosen = [one for one in found if fnmatchcase(one.document, only)]
    if not chosen:
        raise UsageError(f"{questions} asks nothing of a document {only!r}")
    terminal = open_terminal()
    report = asyncio.run(
        measure_documents(
            terminal,
            spread(chosen, limit),
            settings=_settings(without_reader=without_reader),
            name=questions.stem,
            folder=root,
            is_alone=is_alone,
        )
    )
    print_figures(terminal, documents_lines(report), documents_json(report), as_json=as_json)
    return 0 if report.is_whole() else 1


def print_figures(
    terminal: Terminal, lines: Sequence[str], value: Mapping[str, object], *, as_json: bool
) -> None:
    """Print what was measured."""
    if as_json:
        terminal.show_json(value)
    else:
        terminal.show(*(Text(line) for line in lines))


def questions_in(path: Path) -> list[LabelledQuestion]:
    """Return the questions of a file.

    Raises:
        UsageError: There are none.
    """
    check_exists(path)
    found = load_questions(path)
    if not found:
        raise UsageError(f"{path} has no questions to ask")
    return found


def policies_beside(questions: Path, given: Path | None) -> Path:
    """Return the folder given, or the one beside the questions' folder.

    Raises:
        UsageError: It does not exist.
    """
    folder = given or questions.resolve().parent.parent / "policies"
    check_exists(folder)
    return folder


def check_exists(path: Path) -> None:
    """Refuse a path that leads nowhere.

    Raises:
        UsageError: It does.
    """
    if not path.exists():
        raise UsageError(f"there is no file or folder {str(path)!r}")


def _settings(*, without_reader: bool) -> Settings:
    settings = Settings.from_environment()
    return dataclasses.replace(settings, reader_model=SWITCHED_OFF) if without_reader else settings


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
    async with open_with_policies(terminal, settings, policies) as service:

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


async def measure_documents(
    terminal: Terminal,
    questions: Sequence[DocumentQuestion],
    *,
    settings: Settings,
    name: str,
    folder: Path,
    is_alone: bool,
) -> DocumentsReport:
    """Ingest each document, ask each question of its own.

    A document that can't be ingested is named, and its questions count as failed.

    Args:
        terminal: where progress and remarks go.
        questions: what to ask.
        settings: how to answer; of the database only the home counts.
        name: the question set's.
        folder: what the documents' paths start from.
        is_alone: True gives each document a database of its own.
    """
    kept_in = settings.home.expanduser() / "eval" / f"{name}-{_name_of(str(absolute(folder)))}"
    own = dataclasses.replace(settings, database_url=None, migration_url=None, home=kept_in)
    documents = list(dict.fromkeys(question.document for question in questions))
    groups = [[document] for document in documents] if is_alone else [documents]
    calls: list[ModelCall] = []
    asked: dict[int, AskedQuestion] = {}
    terminal.remark(Text(f"Documents are kept in {one_line(str(kept_in))}; remove it to read anew"))
    _say_price(terminal, own)
    for group in groups:
        used = await _with_database(own, group[0]) if is_alone else own
        async with open_service(terminal, used) as service:
            failures = await _ingest(terminal, service, group, folder=folder)
            with terminal.busy("Asking") as notify:
                for place, question in enumerate(questions):
                    if question.document not in group:
                        continue
                    notify(f"Asked {len(asked)} of {len(questions)}: {question.document}")
                    reason = failures.get(question.document)
                    if reason is None:
                        asked[place] = await _ask(service, question, calls)
                    else:
                        asked[place] = without_answer(question, reason=reason)
    if calls:
        terminal.remark(Text(f"{len(calls)} calls of language models, {cost_words(calls)}"))
    return DocumentsReport(asked=tuple(asked[place] for place in sorted(asked)))


async def _with_database(settings: Settings, document: str) -> Settings:
    """Return the settings with a database for one document, on the server that they mean.

    Raises:
        ConfigError: The server can't be started.
    """
    server = await migration_url(settings)
    url = await create_database(server, f"document_{_name_of(document)}")
    return dataclasses.replace(settings, database_url=url, migration_url=None)


async def _ingest(
    terminal: Terminal, service: Service, documents: Sequence[str], *, folder: Path
) -> Mapping[str, str]:
    """Return why documents could not be ingested."""
    failures: dict[str, str] = {}
    with terminal.busy("Reading the documents") as notify:
        for done, document in enumerate(documents, start=1):
            notify(f"Reading {done} of {len(documents)}: {document}")
            path = folder / document
            started_s = perf_counter()
            try:
                data = await asyncio.to_thread(read_file, path)
                await service.ingestor.ingest(
                    data,
                    source_name=path.name,
                    given=Overrides(
                        key=f"{key_of(path.stem)}-{_name_of(document)}",
                        audience=frozenset({_audience(document)}),
                    ),
                    with_chunks=True,
                )
            except ContractError as error:
                failures[document] = f"{document} can't be ingested: {error}"
                terminal.remark(Text(one_line(failures[document])))
            took_s = perf_counter() - started_s
            if took_s > _SLOW_S:
                terminal.remark(Text(f"{document}: read in {took_s:.0f} s"))
    return failures


async def _ask(
    service: Service, question: DocumentQuestion, calls: list[ModelCall]
) -> AskedQuestion:
    run = await rehearse_labelled(
        service.answering,
        question=question.question,
        thread=(),
        scope={"groups": [_audience(question.document)]},
        without=frozenset(),
        today=EVALUATED_ON,
    )
    calls.extend(run.model_calls)
    return asked_of(question, run.answer, took_ms=run.total_time_ms)


def _audience(document: str) -> str:
    return f"readers-{_name_of(document)}"


def _name_of(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:_NAME_LENGTH]


@asynccontextmanager
async def open_with_policies(
    terminal: Terminal, settings: Settings, policies: Path
) -> AsyncGenerator[Service]:
    """Open the service over policies in the database of evaluations.

    Raises:
        ConfigError: The policies can't be ingested.
    """
    own = dataclasses.replace(
        settings, database_url=None, migration_url=None, home=settings.home.expanduser() / "eval"
    )
    sources = find_sources([policies], given=NOTHING_GIVEN).sources
    _say_price(terminal, own)
    async with open_service(terminal, own) as service:
        with terminal.busy("Reading the policies") as notify:
            async for item in ingest_all(service.ingestor, sources, with_chunks=True):
                if isinstance(item.result, Failed):
                    raise ConfigError(f"{item.path} can't be ingested: {item.result.reason}")
                notify(f"Read {item.path.name}")
        yield service


def _say_price(terminal: Terminal, settings: Settings) -> None:
    """Say beforehand that a model is asked, and how to ask none."""
    if settings.uses_model:
        terminal.remark(
            Text(
                f"Each question is put to {settings.model}, which has its price;"
                " CITEBOUND_REASONER=extractive asks the rules alone"
            )
        )
