"""How often a bot that is not named speaks, and how often it stays silent where it is asked.

    python -m tests.evals.bench_threads

The labelled messages (`thread_messages.jsonl`) are what somebody writes in a channel's thread after
a question of Ann's was answered there: `answer` says whether we should. They were written in three
sets, each before the rules had been tried on it. Of the second the rules, as they were made on the
first, got 3 of 52 and 1 of 43 wrong; of the third, as they were made on both, 5 of 55 and 3 of 40.
"""

import json
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from bot.intake import is_meant_for_us
from core.domain.conversation import Place
from core.domain.message import InboundMessage, Speakers

LABELLED = Path(__file__).parent / "thread_messages.jsonl"
MENTION = re.compile(r"\{@(?P<name>\w+)\}")
"""How the labelled messages write that somebody is mentioned."""
MISSED_AT_MOST = 20
"""One of so many follow-ups may be missed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Labelled:
    """One message of a thread, with what is right."""

    text: str
    """As written; `{@Ben}` mentions Ben."""
    answer: bool
    """True: it is meant for us."""
    by: str = "asker"
    """`asker` or `colleague`."""
    asked_back: bool = False
    """True: our last reply asked something back."""
    set: int
    """Which of the three sets it belongs to."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """What went wrong."""

    unasked: tuple[str, ...]
    """Messages that we answer though nobody meant us."""
    missed: tuple[str, ...]
    """Messages that we don't answer though we were asked."""
    others: int
    """How many are not meant for us."""
    follow_ups: int
    """How many are."""


def labelled() -> tuple[Labelled, ...]:
    """Return the labelled messages."""
    lines = LABELLED.read_text(encoding="utf-8").splitlines()
    return tuple(Labelled(**json.loads(line)) for line in lines)


def speakers(one: Labelled, *, asker: str) -> Speakers:
    """Return who spoke before it."""
    return Speakers(first=asker, asker=asker, is_asked_back=one.asked_back, is_taken_over=False)


def figures(messages: Sequence[Labelled], heard: Sequence[bool]) -> Figures:
    """Return what went wrong of messages, each heard or not."""
    both = list(zip(messages, heard, strict=True))
    return Figures(
        unasked=tuple(one.text for one, is_heard in both if is_heard and not one.answer),
        missed=tuple(one.text for one, is_heard in both if one.answer and not is_heard),
        others=sum(not one.answer for one in messages),
        follow_ups=sum(one.answer for one in messages),
    )


def main() -> int:
    """Print the figures; 1 if they are worse than they may be."""
    messages = labelled()
    found = figures(messages, [_is_heard(one) for one in messages])
    print(f"answered unasked: {len(found.unasked)} of {found.others}")
    print(f"follow-ups missed: {len(found.missed)} of {found.follow_ups}")
    for text in (*found.unasked, *found.missed):
        print(f"  wrong: {text}")
    is_fine = not found.unasked and len(found.missed) * MISSED_AT_MOST <= found.follow_ups
    return 0 if is_fine else 1


def _is_heard(one: Labelled) -> bool:
    message = InboundMessage(
        place=Place(thread="t"),
        dedupe_key="d",
        person="ann" if one.by == "asker" else "ben",
        text=MENTION.sub(r"@\g<name>", one.text),
        sent_at=datetime(2026, 11, 20, tzinfo=UTC),
    )
    names_others = MENTION.search(one.text) is not None
    return is_meant_for_us(message, speakers(one, asker="ann"), names_others=names_others)


if __name__ == "__main__":
    sys.exit(main())
