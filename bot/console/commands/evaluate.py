"""`citebound eval`: measure search, answers and checks on labelled questions and statements."""

import asyncio
import dataclasses
from argparse import Namespace
from contextlib import AsyncExitStack
from fnmatch import fnmatchcase
from pathlib import Path

from rich.text import Text

from bot.console.evals.answer_eval import latency_lines, measure_answers, measure_latency
from bot.console.evals.documents_eval import measure_documents
from bot.console.views.terminal import Terminal, open_terminal
from core.adapters.postgres.evals.eval_corpus import evaluate_retrieval
from core.bootstrap import database_url
from core.config.settings import Settings
from core.domain.errors import ConfigError, UsageError
from core.evals import answers, documents, retrieval, statements
from core.models import LOCAL, SWITCHED_OFF, NoReader, find_guard, find_reader, open_embedders
from core.ports.text_models import Reader
from core.retrieval.serving_embedder import NoEmbedder


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class _Figures:
    lines: list[str]
    as_json: dict[str, object]
    is_whole: bool = True


def run(arguments: Namespace) -> int:
    """Measure, print the figures; 1 if a document was left out."""
    terminal = open_terminal()
    actions = {
        "retrieval": _retrieval,
        "answers": _answers,
        "documents": _documents,
        "latency": _latency,
        "verify": _verify,
    }
    _check_exists(arguments.questions)
    figures = asyncio.run(actions[arguments.action](terminal, arguments))
    if arguments.as_json:
        terminal.show_json(figures.as_json)
    else:
        terminal.show(*(Text(line) for line in figures.lines))
    return 0 if figures.is_whole else 1


async def _retrieval(terminal: Terminal, arguments: Namespace) -> _Figures:
    _check_exists(arguments.documents)
    settings = Settings.from_environment()
    async with AsyncExitStack() as stack:
        embedders = await stack.enter_async_context(open_embedders(settings))
        found = embedders.named(arguments.space)
        embedder = None if isinstance(found, NoEmbedder) else found
        if isinstance(found, NoEmbedder) and arguments.space != LOCAL:
            raise ConfigError(f"{arguments.space} can't be measured: {found.reason}")
        if isinstance(found, NoEmbedder) and not arguments.lexical_only:
            terminal.remark(Text(f"note: {found.reason}; measured by words alone"))
        reader = await find_reader(settings) if arguments.reads else None
        if isinstance(reader, NoReader):
            raise ConfigError(f"nothing can be measured with a reader: {reader.reason}")
        notify = stack.enter_context(terminal.busy("Opening the database"))
        report = await evaluate_retrieval(
            await database_url(settings),
            dataset=arguments.dataset,
            documents=arguments.documents,
            questions=arguments.questions,
            limit=arguments.limit,
            lexical_only=arguments.lexical_only,
            embedder=embedder,
            reader=reader,
            progress=notify,
        )
    names = {"recall": "recall@10", "average_precision": "map@10", "all_gold": "all_gold@10"}
    values = dataclasses.asdict(report)
    return _Figures(
        lines=retrieval.report_lines(report),
        as_json={names.get(name, name): value for name, value in values.items()},
    )


async def _answers(terminal: Terminal, arguments: Namespace) -> _Figures:
    questions = _questions(arguments)
    report = await measure_answers(
        terminal,
        questions,
        settings=_settings(arguments),
        policies=_policies(arguments),
        ablate=arguments.ablate,
    )
    return _Figures(lines=answers.report_lines(report), as_json=answers.report_json(report))


async def _documents(terminal: Terminal, arguments: Namespace) -> _Figures:
    given: Path | None = arguments.documents
    folder = given or arguments.questions.resolve().parent.parent
    _check_exists(folder)
    found = documents.load_document_questions(arguments.questions)
    chosen = [one for one in found if fnmatchcase(one.document, arguments.only)]
    if not chosen:
        raise UsageError(f"{arguments.questions} asks nothing of a document {arguments.only!r}")
    report = await measure_documents(
        terminal,
        documents.spread(chosen, arguments.limit),
        settings=_settings(arguments),
        name=arguments.questions.stem,
        folder=folder,
        is_alone=arguments.is_alone,
    )
    return _Figures(
        lines=documents.documents_lines(report),
        as_json=documents.documents_json(report),
        is_whole=report.is_whole(),
    )


async def _latency(terminal: Terminal, arguments: Namespace) -> _Figures:
    questions = _questions(arguments)
    report = await measure_latency(terminal, questions, policies=_policies(arguments))
    return _Figures(lines=latency_lines(report), as_json=dataclasses.asdict(report))


async def _verify(terminal: Terminal, arguments: Namespace) -> _Figures:
    labelled = statements.load_statements(arguments.questions)
    if not labelled:
        raise UsageError(f"{arguments.questions} has no statements to check")
    with terminal.busy("Checking") as notify:

        def tell(done: int, total: int) -> None:
            notify(f"Checked {done} of {total}")

        alone = statements.evaluate_statements(labelled, progress=tell)
        lines, as_json = statements.report_lines(alone), statements.report_json(alone)
        guard = await _guard(arguments.guard)
        if guard is None:
            return _Figures(lines=lines, as_json=as_json)
        supports = await statements.guard_supports(labelled, guard, progress=tell)
        both = statements.evaluate_statements(labelled, supports=supports)
    return _Figures(
        lines=["by code alone", *lines, "", f"with {guard.name}", *statements.report_lines(both)],
        as_json={**as_json, "with_guard": statements.report_json(both)},
    )


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


def _settings(arguments: Namespace) -> Settings:
    settings = Settings.from_environment()
    without_reader: bool = arguments.without_reader
    return dataclasses.replace(settings, reader_model=SWITCHED_OFF) if without_reader else settings


def _questions(arguments: Namespace) -> list[answers.LabelledQuestion]:
    questions = answers.load_questions(arguments.questions)
    if not questions:
        raise UsageError(f"{arguments.questions} has no questions to ask")
    return questions


def _policies(arguments: Namespace) -> Path:
    """Return the folder given, or the one beside the questions' folder."""
    given: Path | None = arguments.policies
    beside: Path = arguments.questions.resolve().parent.parent / "policies"
    folder = given or beside
    _check_exists(folder)
    return folder


def _check_exists(path: Path) -> None:
    if not path.exists():
        raise UsageError(f"there is no file or folder {str(path)!r}")
