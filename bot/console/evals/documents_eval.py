"""Questions about documents of other people, each asked of its own document alone.

The documents of a question set are policies in an embedded database below `CITEBOUND_HOME`/eval,
each for an audience of its own, to which whoever asks of it belongs. Only how rare a word is counts
over all of them, which costs right answers: of 315 questions about eleven documents the rules
without a reader answered 95 right, and 103 with a database for each. So the figures that are quoted
are those with a database for each document, on the same server. What was ingested is kept: a run
that was interrupted goes on where it was, and a repeated one ingests nothing.
"""

import asyncio
import dataclasses
import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from time import perf_counter

from rich.text import Text

from bot.console.evals.answer_eval import EVALUATED_ON, say_price
from bot.console.ingest.ingest_files import read_file
from bot.console.ingest.sources import absolute
from bot.console.open_service import opened
from bot.console.views.terminal import Terminal, one_line
from bot.console.views.verbose import cost_words
from core.adapters.postgres.evals.eval_corpus import create_database
from core.agent.rehearsal import rehearse_labelled
from core.bootstrap import Service, database_url
from core.config.settings import Settings
from core.domain.errors import ContractError
from core.domain.run import ModelCall
from core.evals.documents import (
    Asked,
    DocumentQuestion,
    DocumentsReport,
    asked_of,
    without_answer,
)
from core.ingest.prepare import Overrides, key_of

_NAME_LENGTH = 12
"""Hexadecimal digits in the name of a folder or an audience."""
_SLOW_S = 10
"""Seconds from which on it is said how long a document took."""


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
    own = dataclasses.replace(settings, database_url=None, home=kept_in)
    documents = list(dict.fromkeys(question.document for question in questions))
    groups = [[document] for document in documents] if is_alone else [documents]
    calls: list[ModelCall] = []
    asked: dict[int, Asked] = {}
    terminal.remark(Text(f"Documents are kept in {one_line(str(kept_in))}; remove it to read anew"))
    say_price(terminal, own)
    for group in groups:
        used = await _with_database(own, group[0]) if is_alone else own
        async with opened(terminal, used) as service:
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
    server = await database_url(settings)
    url = await create_database(server, f"document_{_name_of(document)}")
    return dataclasses.replace(settings, database_url=url)


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


async def _ask(service: Service, question: DocumentQuestion, calls: list[ModelCall]) -> Asked:
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
