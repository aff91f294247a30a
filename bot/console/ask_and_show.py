"""Ask one question at the terminal and show its reply: shared by `ask`, `chat` and `demo`."""

from collections.abc import Callable
from pathlib import Path

from rich.text import Text

from bot.console.arguments.options import AskOptions
from bot.console.views.render import answer_view, record_lines
from bot.console.views.safe_text import to_json
from bot.console.views.terminal import Terminal
from bot.console.views.verbose import run_view
from core.agent.request import AskRequest, Reply
from core.agent.trace_json import trace_json
from core.bootstrap import Service
from core.domain.errors import UsageError
from core.domain.place import Place
from core.ports import Progressed


async def ask(
    terminal: Terminal, service: Service, options: AskOptions, *, text: str, thread: str
) -> Reply:
    """Answer one message of a thread, and write its trace where that was asked for.

    Raises:
        UsageError: The question is empty or too long, or the trace can't be written.
        TransientError: The database failed; nothing was recorded.
    """
    scope = options.scope
    request = AskRequest(
        text=text,
        place=Place(thread=thread),
        groups=scope.groups,
        jurisdiction=scope.jurisdiction,
        tags=scope.tags,
        as_of=scope.as_of,
        edition=scope.edition,
        use_rag=options.use_rag,
    )
    with terminal.busy("Reading the question") as notify:
        reply = await service.answering.ask(request, progress=_Spinner(notify))
    if options.trace_dir is not None:
        _write_trace(reply, options.trace_dir)
    return reply


def show(terminal: Terminal, reply: Reply, options: AskOptions) -> None:
    """Print a reply; how it came about, if asked for, goes to standard error first."""
    if options.is_verbose:
        terminal.remark(*run_view(reply.run), Text())
    terminal.show(*answer_view(reply.answer), Text())
    terminal.show(
        record_lines(record_id=reply.receipt.record_id, thread=reply.run.question.place.thread)
    )


class _Spinner:
    """See `core.ports.Progress`: the line at the terminal that says what is being done."""

    def __init__(self, notify: Callable[[str], None]) -> None:
        self._notify = notify

    def report(self, progressed: Progressed, /) -> None:
        self._notify(progressed.words)


def _write_trace(reply: Reply, folder: Path) -> None:
    path = folder / f"{reply.run.question.question_id}.json"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        path.write_text(to_json(trace_json(reply.run)) + "\n", encoding="utf-8")
    except OSError as error:
        raise UsageError(
            f"the trace can't be written to {folder}: {error.strerror}; choose another --trace-dir"
        ) from error
