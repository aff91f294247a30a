"""How long an event loop stands still while hostile messages are answered; and such messages."""

import asyncio
import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, cast

LONGEST = 8_000
"""Characters of a message: more is turned away unread."""
LENGTHS = (LONGEST, 2_500, 800)

PUMPS = (
    " ", "\n", "\t", "\u00a0", "1", "1,", "1.", "1 ", "1'", "1 111", "\u00a0111", "one ",
    "1,000 ", "a", "A", "a ", "A ", "A. ", "a.", "a, ", "a-", "the ", "not ", "or ", "and ",
    "if ", "if, ", "no ", "must ", "may I ", "May ", "1 May ", "section 1, ", "Section ",
    "EUR 1 ", "EUR ", "5% ", "days ", "(a) ", "(", ")", "[", "<", "<a", "<@U1|", "<!--", "*",
    "**", "_", "-", "- ", "|", "| a ", "\t|", "#", "\n# ", "\n- a", "\n1. a", '"', "'", "\u2019",
    ".", ". ", "...", "? ", "what? ", "how? and how ", ": ", ";", ",", "my boss ",
    "my manager takes cash ", "because I complained I was fired ", "in Germany ",
    "for employees ", "contractor ", "between a and b ", "versus ", "compare ", "gift ",
    "gifts cash ", "policy ", "COMP-001 ", "Gifts Policy ", "that ", "it ", "https://a.b ",
    "a@b.c ", "data:a,", "\u4e00", "\u0301", "\U0001f600", "thanks ", "much ", ":and",
    "x" * 40 + " ", "e.g. ", "U.S. ", "up to ", "at most ", "no more than ", "unless ",
    "within 1 day of ", "&amp;", "&lt;at&gt;",
)  # fmt: skip
"""What a hostile message repeats."""
NUMBERED = (
    "word{} ", "how w{}? ", "what is w{} and how is v{}? ", "My w{} is v{}. ", "EUR {}, ",
    "{} days ", "{} EUR to {} EUR or ", "Name{} ", "W{} Policy ", "if w{} then v{}, ", "{} ",
    "{}.{}. ", "w{}? ", "({}) may w{}; ", "COMP-{} ", "must not w{} unless v{} ", "\n- w{}",
    "in w{} ", "w{}-v{}. W{}. ",
)  # fmt: skip
"""What a message repeats with another number each time, so that nothing of it was seen before."""
OPENINGS = ("", "for", "May I accept cash ", "what is 1", "compare ", "in ", "the ")
ENDINGS = ("", "@x", "?", ",", " x")


def filled(pump: str, *, opening: str = "", ending: str = "", length: int = LONGEST) -> str:
    """Return a message of a length that repeats something."""
    room = length - len(opening) - len(ending)
    return opening + (pump * (room // len(pump) + 1))[:room] + ending


def hostile_messages() -> Iterator[str]:
    """Yield some hundred messages that are hard to read, each for another reason."""
    yield f"for{' ' * (LONGEST - 100)}@x"
    yield "1," * (LONGEST // 2)
    yield f"may I{' ' * (LONGEST - 100)}"
    for number, pump in enumerate(PUMPS):
        opening, ending = OPENINGS[number % len(OPENINGS)], ENDINGS[number % len(ENDINGS)]
        for length in LENGTHS[:2]:
            yield filled(pump, opening=opening, ending=ending, length=length)
    yield from map(numbered, NUMBERED)
    for first, second in zip(PUMPS, PUMPS[7:] + PUMPS[:7], strict=True):
        yield filled(first + second, length=LENGTHS[2])


def numbered(shape: str) -> str:
    """Return a message of the longest length, of one shape with running numbers."""
    return "".join(shape.replace("{}", str(number)) for number in range(LONGEST // 3))[:LONGEST]


@dataclass
class Steps:
    """What a loop did without a break."""

    wall_s: list[float] = field(default_factory=list[float])
    """Seconds of each step."""
    cpu_s: list[float] = field(default_factory=list[float])
    """Seconds of the processor that the loop's thread spent in each step."""


@contextmanager
def measured_steps() -> Generator[Steps]:
    """Measure every step of the event loop: nothing else runs while one does."""
    handle = cast("Any", asyncio.Handle)
    original = handle._run
    steps = Steps()

    def run(self: asyncio.Handle) -> None:
        began, began_cpu = time.perf_counter(), time.thread_time()
        original(self)
        steps.cpu_s.append(time.thread_time() - began_cpu)
        steps.wall_s.append(time.perf_counter() - began)

    handle._run = run
    try:
        yield steps
    finally:
        handle._run = original
