"""`citebound ask` and `citebound chat`: one question, or a conversation, at the terminal.

In a conversation reading a line blocks, so it happens outside the event loop: each answer is one
`runner.run`. With piped input there is no prompt, and nothing but replies is printed.
"""

import asyncio
import importlib
import shlex
import sys
from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

from rich.rule import Rule
from rich.text import Text

from bot.console.open_service import open_service
from bot.console.options import AskOptions, ask_options
from bot.console.stores import check_corpus, operator
from bot.console.views.render import answer_view, sources_view
from bot.console.views.terminal import Terminal, clean, one_line, open_terminal, safe, to_json
from bot.console.views.verbose import run_view
from bot.replies.answer import ref
from bot.replies.report_texts import code_lines
from core.adapters.system import UuidSource
from core.agent.request import AskRequest, Reply
from core.agent.trace import reply_json, trace_json
from core.answering import AnswerService
from core.cases.case_codes import code_in
from core.domain.answer import Outcome
from core.domain.conversation import Place
from core.domain.delivery import REFERENCE
from core.domain.errors import UsageError
from core.domain.officers import Account
from core.domain.question import NOTHING_ASKED
from core.language.languages import Language
from core.ports import Progressed

EXIT_FAILED = 7
"""Something broke while the question was answered; what can be shown is the record of that."""

MAYBE_KEPT = "`citebound audit list` shows whether this question is in the record"


def ask(*, question: list[str], as_json: bool, **asking: Any) -> int:
    """Ask one question; any outcome is 0 but a recorded failure."""
    text = sys.stdin.read() if question == ["-"] else " ".join(question)
    if not text.strip():
        raise UsageError(
            "the question is empty: expected words, or - with a question on standard input"
        )
    options = ask_options(**asking)
    outcome = asyncio.run(_ask_once(open_terminal(), options, text=text, as_json=as_json))
    return EXIT_FAILED if outcome is Outcome.FAILED else 0


async def _ask_once(
    terminal: Terminal, options: AskOptions, *, text: str, as_json: bool
) -> Outcome:
    reply: Reply | None = None
    try:
        async with open_service(AnswerService, terminal) as service:
            if await answer_code(terminal, service, text):
                return Outcome.ANSWERED
            await check_corpus(service, options.scope)
            thread = await thread_of(service, options)
            reply = await put_question(terminal, service, options, text=text.strip(), thread=thread)
    except asyncio.CancelledError:
        if reply is None:
            raise
        raise KeyboardInterrupt(f"the answer is recorded, {ref(reply.receipt.record_id)}") from None
    if as_json:
        if options.is_verbose:
            terminal.remark(*run_view(reply.run))
        terminal.show_json(reply_json(reply))
        return reply.answer.outcome
    show(terminal, reply, options)
    is_asking = reply.answer.outcome is Outcome.CLARIFICATION
    if is_asking and reply.answer.slot not in NOTHING_ASKED:
        named = options.thread or reply.receipt.record_id[-REFERENCE:]
        hint = f'Go on with: citebound ask --thread {shlex.quote(clean(named))} "..."'
        terminal.show(Text(), Text(hint, style="dim", no_wrap=True, overflow="ignore"))
    return reply.answer.outcome


async def answer_code(terminal: Terminal, service: AnswerService, text: str) -> bool:
    """Answer the code of a report, which is recorded nowhere; False: the text holds none."""
    typed = code_in(text)
    if typed is None:
        return False
    who = Account(platform="console", tenant="local", person=operator())
    status = await service.writers.use(typed, who, key=UuidSource().new())
    zone = service.officers.calendar.zone
    terminal.show(*map(safe, code_lines(status, Language.ENGLISH, zone)))
    return True


async def thread_of(service: AnswerService, options: AskOptions) -> str:
    """Return the conversation that the options name; a new one where they name none.

    Raises:
        UsageError: See `PostgresConversationStore.thread_named`.
    """
    if options.thread is None:
        return UuidSource().new()
    return await service.conversations.thread_named(options.thread)


def chat(**asking: Any) -> int:
    """Hold a conversation until the asker leaves."""
    options, terminal, stack = ask_options(**asking), open_terminal(), AsyncExitStack()
    with asyncio.Runner() as runner:
        try:
            service = runner.run(stack.enter_async_context(open_service(AnswerService, terminal)))
            runner.run(check_corpus(service, options.scope))
            options = replace(options, thread=runner.run(thread_of(service, options)))
            Conversation(runner, service, terminal, options).hold()
        finally:
            runner.run(stack.aclose())
    return 0


async def put_question(
    terminal: Terminal, service: AnswerService, options: AskOptions, *, text: str, thread: str
) -> Reply:
    """Answer one message of a thread, and write its trace where that was asked for.

    Raises:
        UsageError: The question is empty or too long, or the trace can't be written.
        TransientError: The database failed; nothing was recorded.
        KeyboardInterrupt: It was interrupted, and the question may have been recorded just then.
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
    try:
        with terminal.busy("Reading the question") as notify:
            reply = await service.answering.ask(request, progress=_Spinner(notify))
    except asyncio.CancelledError:
        # A conversation is stored with its first answer, or not at all.
        if await service.conversations.find(request.place) is None:
            raise
        raise KeyboardInterrupt(MAYBE_KEPT) from None
    if options.trace_dir is not None:
        _write_trace(reply, options.trace_dir)
    return reply


def show(terminal: Terminal, reply: Reply, options: AskOptions) -> None:
    """Print a reply; how it came about, if asked for, goes to standard error first."""
    if options.is_verbose:
        terminal.remark(*run_view(reply.run), Text())
    terminal.show(*answer_view(reply.answer), Text())
    record_id, thread = reply.receipt.record_id, reply.run.question.place.thread
    whole = f" (record {record_id}, thread {one_line(thread)})" if options.is_verbose else ""
    terminal.show(safe(f"{ref(record_id)}{whole}", style="dim"))


class _Spinner:
    """See `core.ports.Progress`: the line at the terminal that says what is being done."""

    def __init__(self, notify: Callable[[str], None]) -> None:
        self._notify = notify

    def report(self, progressed: Progressed, /) -> None:
        self._notify(progressed.words.en)


def _write_trace(reply: Reply, folder: Path) -> None:
    path = folder / f"{reply.run.question.question_id}.json"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        path.write_text(to_json(trace_json(reply.run)) + "\n", encoding="utf-8")
    except OSError as error:
        raise UsageError(
            f"the trace can't be written to {folder}: {error.strerror}; choose another --trace-dir"
        ) from error


PROMPT = "\n> "
HELP = """Type a question, or the number of an option.
  /sources   the quotes of the last answer again
  /new       a new conversation
  /help      this
  /quit      leave (as do Ctrl-D and Ctrl-C)"""


class Conversation:
    """One thread at a time, until the asker leaves."""

    def __init__(
        self,
        runner: asyncio.Runner,
        service: AnswerService,
        terminal: Terminal,
        options: AskOptions,
    ) -> None:
        """Begin, or continue, the thread that the options name."""
        self._runner = runner
        self._service = service
        self._terminal = terminal
        self._options = options
        self._thread = options.thread or UuidSource().new()
        self._last: Reply | None = None

    def hold(self) -> None:
        """Answer until the end of the input, `/quit` or Ctrl-C."""
        if self._terminal.is_interactive:
            self._terminal.show(
                Text("Ask a question. /help shows what else can be typed.", style="dim")
            )
            _edit_lines()
        while (line := self._read()) is not None:
            text = line.strip()
            if text == "/quit":
                break
            if text.startswith("/"):
                self._obey(text)
            elif text:
                self._answer(text)

    def _read(self) -> str | None:
        if self._terminal.is_interactive:
            try:
                return input(PROMPT)
            except (EOFError, KeyboardInterrupt):
                self._terminal.show(Text())
                return None
        return sys.stdin.readline() or None

    def _obey(self, command: str) -> None:
        match command:
            case "/help":
                self._terminal.show(Text(HELP))
            case "/new":
                self._thread, self._last = UuidSource().new(), None
                self._terminal.show(Text("A new conversation.", style="dim"))
            case "/sources":
                self._show_sources()
            case _:
                self._terminal.show(safe(f"{command} is not a command; /help shows them."))

    def _show_sources(self) -> None:
        if self._last is None or not self._last.answer.quoted:
            self._terminal.show(Text("The last reply has no sources."))
        else:
            self._terminal.show(*sources_view(self._last.answer))

    def _answer(self, text: str) -> None:
        if self._runner.run(answer_code(self._terminal, self._service, text)):
            return
        try:
            reply = self._runner.run(
                put_question(
                    self._terminal, self._service, self._options, text=text, thread=self._thread
                )
            )
        except UsageError as error:
            self._terminal.remark(safe(str(error)))
            return
        self._last = reply
        if self._terminal.is_interactive:
            self._terminal.show(Text())
        show(self._terminal, reply, self._options)
        if not self._terminal.is_interactive:
            self._terminal.show(Rule(style="dim"))


def _edit_lines() -> None:
    """Give the prompt a history and the arrow keys, where Python was built with readline."""
    try:
        importlib.import_module("readline")
    except ImportError:
        return
