"""Ctrl-C: one line that says what is kept, and the code of the shell."""

import asyncio
import signal
from collections.abc import Iterator
from types import SimpleNamespace
from typing import cast

import pytest

from bot import __main__ as program
from bot import cli
from bot.console.command_line import CITEBOUND
from bot.console.commands import ask as asking
from bot.console.options import AskOptions, Command
from bot.console.views.terminal import open_terminal
from core.bootstrap import Service
from core.domain.conversation import Place


class Interrupted:
    """A service that is interrupted while it answers in a thread that may be known."""

    def __init__(self, known: str | None) -> None:
        self._known = known
        self.answering = self.conversations = self

    async def ask(self, *_given: object, **_options: object) -> None:
        raise asyncio.CancelledError

    async def find(self, place: Place, /) -> str | None:
        assert place == Place(thread="anna")
        return self._known


@pytest.mark.parametrize(
    ("known", "error", "words"),
    [(None, asyncio.CancelledError, ""), ("id", KeyboardInterrupt, asking.MAYBE_KEPT)],
)
def test_a_question_is_said_to_be_lost_only_where_nothing_of_its_thread_is_stored(
    known: str | None, error: type[BaseException], words: str
) -> None:
    """In a thread that is known it may have been stored in that moment."""
    service = cast("Service", Interrupted(known))
    putting = asking.put_question(
        open_terminal(), service, AskOptions(), text="May I?", thread="anna"
    )
    with pytest.raises(error) as raised:
        asyncio.run(putting)
    assert str(raised.value) == words


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("", "citebound: interrupted: nothing was kept\n"),
        ("the answer is recorded", "citebound: interrupted: the answer is recorded\n"),
    ],
)
def test_what_is_kept_is_said_once(
    words: str, said: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What the command knows comes before what holds of it in general."""

    def interrupted(**_given: object) -> int:
        raise KeyboardInterrupt(words)

    def imported(_name: str) -> SimpleNamespace:
        return SimpleNamespace(ask=interrupted)

    monkeypatch.setattr(cli.importlib, "import_module", imported)
    assert cli.run(["ask", "May I?"]) == 130
    assert capsys.readouterr().err == said


def test_an_interruption_while_modules_are_imported_shows_no_traceback(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing is open yet, so that there is nothing to say but that; a second one is ignored."""
    handlers: list[tuple[int, object]] = []

    def handle(number: int, handler: object) -> None:
        handlers.append((number, handler))

    monkeypatch.setattr(program.signal, "signal", handle)

    def interrupted(_name: str) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(program.importlib, "import_module", interrupted)
    with pytest.raises(SystemExit) as ended:
        program.main()
    assert (ended.value.code, capsys.readouterr().err) == (130, "citebound: interrupted\n")
    assert handlers == [(signal.SIGINT, signal.SIG_IGN)]


def test_each_command_whose_remains_are_named_is_there() -> None:
    """What is said of a command is said where its name is found."""
    functions = {one.function.rpartition(".")[2] for one in commands(CITEBOUND)}
    assert cli.KEPT.keys() <= functions


def commands(top: Command) -> Iterator[Command]:
    yield top
    for child in top.commands:
        yield from commands(child)
