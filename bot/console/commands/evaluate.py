"""`citebound eval`: measure search and answers on labelled questions."""

import asyncio
import dataclasses
from argparse import Namespace
from contextlib import AsyncExitStack
from pathlib import Path

from rich.text import Text

from bot.console.evaluating import latency_lines, measure_answers, measure_latency
from bot.console.terminal import Terminal, open_terminal
from core.adapters.postgres.eval_corpus import evaluate_retrieval
from core.bootstrap import database_url
from core.config import Settings
from core.domain.errors import ConfigError, UsageError
from core.embedders import LOCAL, NoReader, find_reader, open_embedders
from core.evals import answers, retrieval
from core.retrieval.serving import NoEmbedder


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class _Figures:
    lines: list[str]
    as_json: dict[str, object]


def run(arguments: Namespace) -> int:
    """Measure, print the figures."""
    terminal = open_terminal()
    actions = {"retrieval": _retrieval, "answers": _answers, "latency": _latency}
    _check_exists(arguments.questions)
    figures = asyncio.run(actions[arguments.action](terminal, arguments))
    if arguments.as_json:
        terminal.show_json(figures.as_json)
    else:
        terminal.show(*(Text(line) for line in figures.lines))
    return 0


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
        terminal, questions, policies=_policies(arguments), ablate=arguments.ablate
    )
    return _Figures(lines=answers.report_lines(report), as_json=answers.report_json(report))


async def _latency(terminal: Terminal, arguments: Namespace) -> _Figures:
    questions = _questions(arguments)
    report = await measure_latency(terminal, questions, policies=_policies(arguments))
    return _Figures(lines=latency_lines(report), as_json=dataclasses.asdict(report))


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
