"""What a reply says of an answer besides its words: its badge, its notes, its last line.

A badge says how far to trust an answer, and who says so. Its number is the calibrated confidence,
rounded down, 99 at most; what a model reported of itself is never shown. Nothing rests on the icon
or its colour alone. A closest passage and a clarification are taken apart here, too.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import ROUND_FLOOR, Decimal
from enum import StrEnum
from typing import Literal, TypeAlias, assert_never

from bot.replies.buttons import offers_all
from bot.replies.context import Library
from bot.replies.notices import AUTOMATED
from bot.replies.safe_text import line
from bot.replies.sources import Source, numbers, sources
from core.agent.wording import (
    ALL_OPTION,
    DAY_BUDGET_SPENT,
    FROM_METADATA,
    MODEL_UNAVAILABLE,
    ON_SAMPLES,
    UNCALIBRATED,
    WITHOUT_MODEL,
)
from core.domain.answer import Answer, Badge, Confidence, Outcome, RefusalKind
from core.domain.case import SupersededAnswer
from core.domain.delivery import REFERENCE, StoredReply

MOST = 99
"""Percent; nothing is certain."""
BY_MODEL = "AI-generated, checked against the policies"
BY_METADATA = "From the list of policies"
BY_RULES = "Quoted from the policies"
PARTLY = "Answers part of your question"
NO_ANSWER = "No answer"
_BY_RULES = frozenset({WITHOUT_MODEL, MODEL_UNAVAILABLE, DAY_BUDGET_SPENT})
"""Notes of an answer that no model wrote."""


class Icon(StrEnum):
    """The symbol before a badge line, as Unicode."""

    HIGH = "\u2705"
    MEDIUM = "\U0001f7e1"
    NOTHING = "\u26aa"
    PERSON_NEEDED = "\U0001f50e"
    PERSON = "\U0001f464"


@dataclass(frozen=True, slots=True, kw_only=True)
class BadgeLine:
    """The parts of a badge line; each platform puts them together."""

    icon: Icon
    """Decoration only: the words say it all."""
    strong: str
    """The emphasised words."""
    rest: tuple[str, ...]
    """The words after them, in order."""

    @property
    def words(self) -> str:
        """The line without icon and emphasis."""
        return " · ".join((self.strong, *self.rest))


def badge_of(answer: Answer) -> BadgeLine | None:
    """Return the badge of an outcome.

    Clarifications and failures have none, nor has a precedent: its text says first who answered.
    """
    match answer.outcome:
        case Outcome.ANSWERED:
            return _answered(answer) if answer.precedent is None else None
        case Outcome.REFUSED:
            return _refused(answer)
        case Outcome.ESCALATED:
            return BadgeLine(icon=Icon.PERSON_NEEDED, strong="Needs a person", rest=())
        case Outcome.CLARIFICATION | Outcome.FAILED | Outcome.IGNORED:
            return None
        case _:
            assert_never(answer.outcome)


def officer_badge(name: str) -> BadgeLine:
    """Return the badge of an officer's reply: no percentage, no label for generated text."""
    rest = (line(name, limit=80),) if name.strip() else ()
    return BadgeLine(icon=Icon.PERSON, strong="Answered by Compliance", rest=rest)


def superseded_badge(old: SupersededAnswer) -> BadgeLine:
    """Return the badge of an answer that no longer holds, and whose words do."""
    if old.number is None:
        return BadgeLine(icon=Icon.PERSON, strong="Outdated", rest=("the policy has changed",))
    return replace(officer_badge(old.officer), strong="Superseded by Compliance")


def is_partial(answer: Answer) -> bool:
    """Say whether a claim of the answer was dropped."""
    return dict(answer.confidence.features).get("passed", 1.0) < 1.0


def origin(answer: Answer) -> str:
    """Return who wrote the answer."""
    if FROM_METADATA in answer.notes:
        return BY_METADATA
    return BY_RULES if _BY_RULES & set(answer.notes) else BY_MODEL


def is_generated(answer: Answer) -> bool:
    """Say whether a language model wrote what is stated: quotes and officers' words are not."""
    states = answer.outcome is Outcome.ANSWERED or answer.refusal is RefusalKind.CONFLICT
    is_quoted = answer.precedent is not None or origin(answer) != BY_MODEL
    return states and bool(answer.claims) and not is_quoted


def _answered(answer: Answer) -> BadgeLine:
    is_high = answer.confidence.badge is Badge.HIGH
    partly = (PARTLY,) if is_partial(answer) else ()
    return BadgeLine(
        icon=Icon.HIGH if is_high else Icon.MEDIUM,
        strong=_confidence(answer.confidence),
        rest=(*partly, origin(answer)),
    )


def _confidence(confidence: Confidence) -> str:
    """Return the grade, with its percentage where that was measured here; see `grounds`."""
    if confidence.badge is None:
        return "Confidence unknown"
    words = f"{confidence.badge.value.capitalize()} confidence"
    if not confidence.is_calibrated or confidence.calibrated is None:
        return words
    return f"{words} ({percent(confidence.calibrated)}%)"


def grounds(answer: Answer) -> Iterator[str]:
    """Yield what stands behind the badge: what it rests on, and who wrote the answer."""
    if answer.outcome is not Outcome.ANSWERED or answer.precedent is not None:
        return
    confidence = answer.confidence
    if FROM_METADATA in answer.notes:
        yield "Read from what is stored with the policies; no language model was used."
        return
    if confidence.badge is not None:
        measured = "measured on answers that were checked here"
        on = ON_SAMPLES if confidence.is_on_samples else UNCALIBRATED
        yield f"{_confidence(confidence)}: {measured if confidence.is_calibrated else on}."
    if _BY_RULES & set(answer.notes):
        yield "The statements are quoted from the policies; no language model was used."
    else:
        yield "A language model wrote the statements; code checked each against the quoted text."


def percent(calibrated: float) -> int:
    """Return a probability as a whole percentage: rounded down, as it is written (0.29 is 29)."""
    exact = Decimal(str(calibrated)) * 100
    return max(0, min(MOST, int(exact.to_integral_value(rounding=ROUND_FLOOR))))


def _refused(answer: Answer) -> BadgeLine:
    if answer.is_closest:
        rest = ("It may not answer your question",)
        return BadgeLine(icon=Icon.NOTHING, strong="Closest passage", rest=rest)
    match answer.refusal:
        case RefusalKind.CONFLICT:
            rest = ("The policies disagree", *([BY_MODEL] if is_generated(answer) else []))
            return BadgeLine(icon=Icon.PERSON_NEEDED, strong="Needs a person", rest=rest)
        case RefusalKind.OUT_OF_SCOPE:
            strong = NO_ANSWER
        case RefusalKind.NOT_PERMITTED:
            strong = "Not available here"
        case _:
            # Not "not in": a search may have missed what stands there.
            strong = "Not found in the policies"
    return BadgeLine(icon=Icon.NOTHING, strong=strong, rest=())


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownPassage:
    """The parts of a closest passage, ready to be drawn."""

    source: Source
    """Where it stands."""
    quotation: str
    """Its words, within quotation marks."""
    marks: str
    """The [n] of what is quoted."""
    after: str
    """What to do if it does not answer, and any notes after that."""


def passage_of(answer: Answer, library: Library) -> ShownPassage | None:
    """Return the closest passage of an answer; None: it shows none."""
    if not answer.is_closest:
        return None
    claim = answer.claims[0]
    marks = numbers([one for one in answer.quoted if one.number in claim.numbers])
    _, _, after = answer.text.partition(f"{claim.text} {marks}")
    return ShownPassage(
        source=next(iter(sources(answer.quoted, library))),
        quotation=claim.text,
        marks=marks,
        after=after.strip(),
    )


WHOLE_TITLE = "Your answer"
"""Of a view that shows an answer again."""
QUESTION = 2_500
"""Characters of the question."""
Heard: TypeAlias = Literal["thread", "named", "chat"]
"""Which replies reach us: all in the thread; only those that mention us; all in a chat with one
person."""
_REPLY: Mapping[Heard, str] = {
    "thread": "just reply in this thread",
    "named": "reply and mention me",
    "chat": "just reply",
}


def question_of(answer: Answer) -> str:
    """Return the question without its options."""
    asked = answer.text.removesuffix(ALL_OPTION) if answer.options else answer.text
    return line(asked, limit=QUESTION)


def how_to_reply(answer: Answer, *, has_buttons: bool, heard: Heard = "thread") -> str:
    """Say how to reply without a button, so that the reply reaches us."""
    reply = _REPLY[heard]
    if has_buttons:
        return f"Or {reply}."
    if not answer.options:
        return f"{reply.capitalize()}."
    for_all = ", or “all” for every case" if offers_all(answer) else ""
    named = ", and mention me" if heard == "named" else ""
    return f"Reply with a number or in your own words{for_all}{named}."


NUMBERED = 25
"""Options of a list with numbers."""


def numbered(options: Sequence[str]) -> str:
    """Return the options as a numbered list."""
    first = options[:NUMBERED]
    lines = [f"{number}. {line(one, limit=90)}" for number, one in enumerate(first, start=1)]
    more = len(options) - len(first)
    return "\n".join([*lines, *([f"and {more} more"] if more else [])])


LEFT_OUT = "Left out: what could not be checked against the policies."
NO_ADVICE = "Policy guidance, not legal advice"
UNREAD = "I read what you write to me, not files or forwarded messages"
NEAREST = 5
"""Sections named where there is no answer."""
NEAREST_SECTIONS = "Nearest sections:"
LEAF = 16
"""Hex digits of the leaf hash that go with a post: an independent prefix of the ledger."""


def remarks(answer: Answer) -> Iterator[tuple[str, str]]:
    """Yield the notes below an answer: a heading and its words; either may be empty."""
    if answer.outcome is Outcome.ANSWERED and is_partial(answer):
        yield LEFT_OUT, ""
    if answer.assumptions:
        yield "Assumes: ", ", ".join(line(item, limit=80) for item in answer.assumptions[:10])
    for note in answer.notes[:5]:
        if note not in {WITHOUT_MODEL, FROM_METADATA}:  # the badge says so
            yield "", line(note, limit=300)


def ref(record_id: str) -> str:
    """Return how people name a record: by the end of its id, which finds it."""
    return f"Ref {line(record_id[-REFERENCE:])}"


def event_line(reply: StoredReply, first: str) -> str:
    """Return the last line of what is told of a case or a change, with its record if it has one."""
    is_recorded = bool(reply.record_id and reply.leaf_hash)
    return f"{first} · {ref(reply.record_id or '')}" if is_recorded else first


def reference(reply: StoredReply, *, has_file: bool = False) -> str:
    """Return the last line: what was not read, what it is, and where its record is."""
    answer = reply.answer
    is_answered = answer is not None and answer.outcome is Outcome.ANSWERED
    first = NO_ADVICE if is_answered else AUTOMATED
    first = f"{UNREAD} · {first}" if has_file else first
    return f"{first} · {ref(reply.record_id)}" if reply.record_id else first
