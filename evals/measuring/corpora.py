"""What questions are asked of: one set of policies, or documents each alone.

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
from collections.abc import AsyncGenerator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from time import perf_counter

from rich.text import Text

from bot.console.ingest.ingest_files import Failed, ingest_all
from bot.console.open_service import open_service
from bot.console.views.terminal import Terminal
from core.adapters.postgres.access import migration_url
from core.adapters.postgres.engine.embedded import create_database
from core.agent.service import Answering
from core.bootstrap import Service
from core.confidence.calibration import Calibrations
from core.config.settings import Settings
from core.domain.errors import ConfigError, ContractError
from core.domain.run import Run
from core.ingest.folder_listing import absolute, find_sources, read_file
from core.ingest.prepare import NOTHING_GIVEN, Overrides, key_of
from evals.measuring.labelled import rehearse_labelled
from evals.measuring.questions import LabelledQuestion

EVALUATED_ON = date(2026, 6, 1)
"""The day whose rules count where a question names none: no figure depends on the calendar."""
_NAME_LENGTH = 12
"""Hexadecimal digits in the name of a folder or an audience."""
_SLOW_S = 10
"""Seconds from which on it is said how long a document took."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionSource:
    """What a question set is asked of."""

    name: str
    """The set's, for the folder of its documents."""
    folder: Path
    """The policies, or what the documents' paths start from."""
    is_alone: bool
    """True gives each document a database of its own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenCorpus:
    """A service over what some questions are asked of."""

    service: Service
    """Has the documents."""
    answering: Answering
    """Answers them."""
    questions: tuple[LabelledQuestion, ...]
    """Those to ask of it."""
    failures: Mapping[str, str]
    """Why a document could not be ingested."""

    async def answer(self, question: LabelledQuestion, *, use_rag: bool) -> Run:
        """Answer a question, unrecorded."""
        is_of_one = question.document is not None
        return await rehearse_labelled(
            self.answering,
            question=question.question,
            thread=question.thread,
            scope={"groups": [_audience(question.document)]} if is_of_one else question.scope,
            without=question.without,
            today=EVALUATED_ON,
            use_rag=use_rag,
        )

    async def has_stored_quotes(self, run: Run) -> bool:
        """Say whether every quote of an answer is the stored text."""
        citations = run.answer.citations
        spans = [citation.span for citation in citations]
        stored = await self.service.corpus.read_spans(spans, run.question.scope)
        return all(stored.get(citation.span) == citation.quote for citation in citations)


async def open_corpora(
    terminal: Terminal,
    questions: Sequence[LabelledQuestion],
    *,
    settings: Settings,
    source: QuestionSource,
    calibrations: Calibrations,
) -> AsyncGenerator[OpenCorpus]:
    """Open one service after the other until every question can be asked of its own.

    Documents that can't be ingested are named. Of the settings' database only the home counts.

    Raises:
        ConfigError: Policies can't be ingested, or the database can't be started.
    """
    if not questions:
        return
    documents = list(dict.fromkeys(one.document for one in questions if one.document is not None))
    if not documents:
        async with open_with_policies(terminal, settings, source.folder) as service:
            answering = service.calibrated(calibrations)
            yield OpenCorpus(
                service=service, answering=answering, questions=tuple(questions), failures={}
            )
        return
    own = _own(settings, source.name, source.folder)
    terminal.remark_unwrapped(f"Documents are kept in {own.home}; remove it to read anew")
    say_price(terminal, own)
    for group in [[document] for document in documents] if source.is_alone else [documents]:
        used = await _with_database(own, group[0]) if source.is_alone else own
        async with open_service(Service, terminal, used) as service:
            yield OpenCorpus(
                service=service,
                answering=service.calibrated(calibrations),
                questions=tuple(one for one in questions if one.document in group),
                failures=await _ingest(terminal, service, group, folder=source.folder),
            )


def corpus_sha256(questions: Sequence[LabelledQuestion], source: QuestionSource) -> str:
    """Return the SHA-256 of the names and bytes of what questions are asked of, in hex."""
    documents = sorted({one.document for one in questions if one.document is not None})
    if not documents:
        return folder_sha256(source.folder)
    paths = [source.folder / document for document in documents]
    return _sha256_of((path.name, path) for path in paths)


def folder_sha256(folder: Path) -> str:
    """Return the SHA-256 of the policies of a folder, and of what is stated of each, in hex."""
    sources = find_sources([folder], given=NOTHING_GIVEN).sources
    return _sha256_of((f"{source.path.name}\0{source.given}", source.path) for source in sources)


def _sha256_of(named: Iterable[tuple[str, Path]]) -> str:
    digest = hashlib.sha256()
    for name, path in named:
        digest.update(f"{name}\0".encode())
        if path.is_file():
            digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


@asynccontextmanager
async def open_with_policies(
    terminal: Terminal, settings: Settings, policies: Path
) -> AsyncGenerator[Service]:
    """Open the service over policies in the database of evaluations.

    Raises:
        ConfigError: The policies can't be ingested.
    """
    own = _own(settings, "policies", policies)
    sources = find_sources([policies], given=NOTHING_GIVEN).sources
    say_price(terminal, own)
    async with open_service(Service, terminal, own) as service:
        with terminal.busy("Reading the policies") as notify:
            async for item in ingest_all(service.ingestor, sources, with_chunks=True):
                if isinstance(item.result, Failed):
                    raise ConfigError(f"{item.path} can't be ingested: {item.result.reason}")
                notify(f"Read {item.path.name}")
        yield service


def _own(settings: Settings, name: str, folder: Path) -> Settings:
    """Return the settings with a home, and so a database, for evaluations of a folder."""
    home = settings.home.expanduser() / "eval" / f"{name}-{_name_of(str(absolute(folder)))}"
    return dataclasses.replace(settings, database_url=None, migration_url=None, home=home)


def say_price(terminal: Terminal, settings: Settings) -> None:
    """Say beforehand that a model is asked, and how to ask none."""
    if settings.uses_model:
        terminal.remark(
            Text(
                f"Each question is put to {settings.model}, which has its price;"
                " CITEBOUND_REASONER=extractive asks the rules alone"
            )
        )


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
                terminal.remark_unwrapped(failures[document])
            took_s = perf_counter() - started_s
            if took_s > _SLOW_S:
                terminal.remark_unwrapped(f"{document}: read in {took_s:.0f} s")
    return failures


def _audience(document: str | None) -> str:
    return f"readers-{_name_of(document or '')}"


def _name_of(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:_NAME_LENGTH]
