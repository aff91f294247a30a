"""`citebound eval`: measure search and answers on labelled questions."""

import asyncio
import dataclasses
from argparse import Namespace
from pathlib import Path

from rich.text import Text

from bot.console.terminal import Terminal, open_terminal
from core.adapters.local_embedder import Unavailable, find_local_embedder
from core.adapters.postgres.eval_corpus import evaluate_retrieval
from core.bootstrap import database_url
from core.config import Settings
from core.domain.errors import UsageError
from core.evals.retrieval import RetrievalReport, report_lines


def run(arguments: Namespace) -> int:
    """Measure, print the figures."""
    terminal = open_terminal()
    _check_exists(arguments.questions)
    if arguments.action == "retrieval":
        _check_exists(arguments.documents)
        report = asyncio.run(_retrieval(terminal, arguments))
        if arguments.as_json:
            terminal.show_json(_retrieval_json(report))
        else:
            terminal.show(*(Text(line) for line in report_lines(report)))
    return 0


async def _retrieval(terminal: Terminal, arguments: Namespace) -> RetrievalReport:
    settings = Settings.from_environment()
    found = await asyncio.to_thread(find_local_embedder, settings.embedding_model)
    embedder = None if isinstance(found, Unavailable) else found
    if isinstance(found, Unavailable) and not arguments.lexical_only:
        terminal.remark(Text(f"note: {found.reason}; measured by words alone"))
    with terminal.busy("Opening the database") as notify:
        return await evaluate_retrieval(
            await database_url(settings),
            dataset=arguments.dataset,
            documents=arguments.documents,
            questions=arguments.questions,
            limit=arguments.limit,
            lexical_only=arguments.lexical_only,
            embedder=embedder,
            progress=notify,
        )


def _retrieval_json(report: RetrievalReport) -> dict[str, object]:
    """Name the figures as they are published."""
    names = {
        "recall": "recall@10",
        "average_precision": "map@10",
        "all_gold": "all_gold@10",
    }
    values = dataclasses.asdict(report)
    return {names.get(name, name): value for name, value in values.items()}


def _check_exists(path: Path) -> None:
    if not path.exists():
        raise UsageError(f"there is no file or folder {str(path)!r}")
