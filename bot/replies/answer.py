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
from core.language.interface.texts import Text, as_it_is
from core.language.languages import Language

MOST = 99
"""Percent; nothing is certain."""
BY_MODEL = Text(
    "AI-generated, checked against the policies", "KI-generiert, an den Richtlinien geprüft"
)
BY_METADATA = Text("From the list of policies", "Aus dem Richtlinienverzeichnis")
BY_RULES = Text("Quoted from the policies", "Aus den Richtlinien zitiert")
PARTLY = Text("Answers part of your question", "Beantwortet einen Teil Ihrer Frage")
NO_ANSWER = Text("No answer", "Keine Antwort")
NEEDS_PERSON = Text("Needs a person", "Ein Mensch muss das klären")
BY_OFFICER = Text("Answered by Compliance", "Von Compliance beantwortet")
BY_OFFICER_INSTEAD = Text("Superseded by Compliance", "Durch Compliance ersetzt")
OUTDATED = Text("Outdated", "Überholt")
POLICY_CHANGED = Text("the policy has changed", "die Richtlinie hat sich geändert")
CLOSEST = Text("Closest passage", "Nächstliegende Stelle")
MAY_NOT_ANSWER = Text(
    "It may not answer your question", "Sie beantwortet Ihre Frage möglicherweise nicht"
)
DISAGREE = Text("The policies disagree", "Die Richtlinien widersprechen sich")
NOT_AVAILABLE = Text("Not available here", "Hier nicht verfügbar")
# Not "not in": a search may have missed what stands there.
NOT_FOUND = Text("Not found in the policies", "In den Richtlinien nicht gefunden")
GRADES: Mapping[Badge, Text] = {
    Badge.HIGH: Text("High confidence", "Hohe Sicherheit"),
    Badge.MEDIUM: Text("Medium confidence", "Mittlere Sicherheit"),
    Badge.LOW: Text("Low confidence", "Geringe Sicherheit"),
}
UNGRADED = Text("Confidence unknown", "Sicherheit unbekannt")
_PERCENT = Text("{grade} ({percent}%)", "{grade} ({percent} %)")
_BY_RULES = WITHOUT_MODEL.each | MODEL_UNAVAILABLE.each | DAY_BUDGET_SPENT.each
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


def badge_of(answer: Answer, language: Language = Language.ENGLISH) -> BadgeLine | None:
    """Return the badge of an outcome.

    Clarifications and failures have none, nor has a precedent: its text says first who answered.
    """
    match answer.outcome:
        case Outcome.ANSWERED:
            return _answered(answer, language) if answer.precedent is None else None
        case Outcome.REFUSED:
            return _refused(answer, language)
        case Outcome.ESCALATED:
            return BadgeLine(icon=Icon.PERSON_NEEDED, strong=NEEDS_PERSON.of(language), rest=())
        case Outcome.CLARIFICATION | Outcome.FAILED | Outcome.IGNORED:
            return None
        case _:
            assert_never(answer.outcome)


def officer_badge(name: str, language: Language = Language.ENGLISH) -> BadgeLine:
    """Return the badge of an officer's reply: no percentage, no label for generated text."""
    rest = (line(name, limit=80),) if name.strip() else ()
    return BadgeLine(icon=Icon.PERSON, strong=BY_OFFICER.of(language), rest=rest)


def superseded_badge(old: SupersededAnswer, language: Language = Language.ENGLISH) -> BadgeLine:
    """Return the badge of an answer that no longer holds, and whose words do."""
    if old.number is None:
        changed = POLICY_CHANGED.of(language)
        return BadgeLine(icon=Icon.PERSON, strong=OUTDATED.of(language), rest=(changed,))
    return replace(officer_badge(old.officer, language), strong=BY_OFFICER_INSTEAD.of(language))


def is_partial(answer: Answer) -> bool:
    """Say whether a claim of the answer was dropped."""
    return dict(answer.confidence.features).get("passed", 1.0) < 1.0


def origin(answer: Answer) -> Text:
    """Return who wrote the answer."""
    if not FROM_METADATA.each.isdisjoint(answer.notes):
        return BY_METADATA
    return BY_RULES if _BY_RULES & set(answer.notes) else BY_MODEL


def is_generated(answer: Answer) -> bool:
    """Say whether a language model wrote what is stated: quotes and officers' words are not."""
    states = answer.outcome is Outcome.ANSWERED or answer.refusal is RefusalKind.CONFLICT
    is_quoted = answer.precedent is not None or origin(answer) != BY_MODEL
    return states and bool(answer.claims) and not is_quoted


def _answered(answer: Answer, language: Language) -> BadgeLine:
    is_high = answer.confidence.badge is Badge.HIGH
    partly = (PARTLY.of(language),) if is_partial(answer) else ()
    return BadgeLine(
        icon=Icon.HIGH if is_high else Icon.MEDIUM,
        strong=_confidence(answer.confidence).of(language),
        rest=(*partly, origin(answer).of(language)),
    )


def _confidence(confidence: Confidence) -> Text:
    """Return the grade, with its percentage where that was measured here; see `grounds`."""
    if confidence.badge is None:
        return UNGRADED
    words = GRADES[confidence.badge]
    if not confidence.is_calibrated or confidence.calibrated is None:
        return words
    return _PERCENT.format(grade=words, percent=percent(confidence.calibrated))


_FROM_STORE = Text(
    "Taken from the policies' details; no language model was used.",
    "Aus dem gelesen, was zu den Richtlinien gespeichert ist; ohne Sprachmodell.",
)
_MEASURED = Text(
    "measured on answers that were checked here", "an hier geprüften Antworten gemessen"
)
_ALL_QUOTED = Text(
    "The statements are quoted from the policies; no language model was used.",
    "Die Aussagen sind aus den Richtlinien zitiert, ohne Sprachmodell.",
)
_ALL_CHECKED = Text(
    "A language model wrote the statements; code checked each against the quoted text.",
    "Ein Sprachmodell hat die Aussagen geschrieben; ein Programm hat jede am zitierten Wortlaut"
    " geprüft.",
)


def grounds(answer: Answer) -> Iterator[Text]:
    """Yield what stands behind the badge: what it rests on, and who wrote the answer."""
    if answer.outcome is not Outcome.ANSWERED or answer.precedent is not None:
        return
    confidence, by = answer.confidence, origin(answer)
    if by == BY_METADATA:
        yield _FROM_STORE
        return
    if confidence.badge is not None:
        on = ON_SAMPLES if confidence.is_on_samples else UNCALIBRATED
        on = _MEASURED if confidence.is_calibrated else on
        yield Text("{grade}: {on}.", "{grade}: {on}.").format(grade=_confidence(confidence), on=on)
    yield _ALL_QUOTED if by == BY_RULES else _ALL_CHECKED


def percent(calibrated: float) -> int:
    """Return a probability as a whole percentage: rounded down, as it is written (0.29 is 29)."""
    exact = Decimal(str(calibrated)) * 100
    return max(0, min(MOST, int(exact.to_integral_value(rounding=ROUND_FLOOR))))


def _refused(answer: Answer, language: Language) -> BadgeLine:
    if answer.is_closest:
        rest = (MAY_NOT_ANSWER.of(language),)
        return BadgeLine(icon=Icon.NOTHING, strong=CLOSEST.of(language), rest=rest)
    match answer.refusal:
        case RefusalKind.CONFLICT:
            by = [BY_MODEL.of(language)] if is_generated(answer) else []
            rest, strong = (DISAGREE.of(language), *by), NEEDS_PERSON.of(language)
            return BadgeLine(icon=Icon.PERSON_NEEDED, strong=strong, rest=rest)
        case RefusalKind.OUT_OF_SCOPE:
            words = NO_ANSWER
        case RefusalKind.NOT_PERMITTED:
            words = NOT_AVAILABLE
        case _:
            words = NOT_FOUND
    return BadgeLine(icon=Icon.NOTHING, strong=words.of(language), rest=())


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


def passage_of(
    answer: Answer, library: Library, language: Language = Language.ENGLISH
) -> ShownPassage | None:
    """Return the closest passage of an answer; None: it shows none."""
    if not answer.is_closest:
        return None
    claim = answer.claims[0]
    marks = numbers([one for one in answer.quoted if one.number in claim.numbers])
    _, _, after = answer.text.partition(f"{claim.text} {marks}")
    return ShownPassage(
        source=next(iter(sources(answer.quoted, library, language))),
        quotation=claim.text,
        marks=marks,
        after=after.strip(),
    )


WHOLE_TITLE = Text("Your answer", "Ihre Antwort")
"""Of a view that shows an answer again."""
QUESTION = 2_500
"""Characters of the question."""
Heard: TypeAlias = Literal["thread", "named", "chat"]
"""Which replies reach us: all in the thread; only those that mention us; all in a chat with one
person."""
_REPLY: Mapping[Heard, Text] = {
    "thread": Text("just reply in this thread", "antworten Sie einfach in diesem Thread"),
    "named": Text("reply and mention me", "antworten Sie, und erwähnen Sie mich"),
    "chat": Text("just reply", "antworten Sie einfach"),
}
_OR_REPLY = Text("Or {reply}.", "Oder {reply}.")
_BY_NUMBER = Text(
    "Reply with a number or in your own words{for_all}{named}.",
    "Antworten Sie mit einer Nummer oder in eigenen Worten{for_all}{named}.",
)
_OR_ALL = Text(", or “all” for every case", " oder mit „alle“ für jeden Fall")
_AND_NAMED = Text(", and mention me", ", und erwähnen Sie mich")


def question_of(answer: Answer) -> str:
    """Return the question without its options."""
    asked = answer.text
    for told in ALL_OPTION.each if answer.options else ():
        asked = asked.removesuffix(told)
    return line(asked, limit=QUESTION)


def how_to_reply(
    answer: Answer,
    *,
    has_buttons: bool,
    heard: Heard = "thread",
    language: Language = Language.ENGLISH,
) -> str:
    """Say how to reply without a button, so that the reply reaches us."""
    reply = _REPLY[heard]
    if has_buttons:
        return _OR_REPLY.format(reply=reply).of(language)
    if not answer.options:
        words = reply.of(language)
        return f"{words[:1].upper()}{words[1:]}."
    for_all = _OR_ALL if offers_all(answer) else as_it_is("")
    named = _AND_NAMED if heard == "named" else as_it_is("")
    return _BY_NUMBER.format(for_all=for_all, named=named).of(language)


NUMBERED = 25
"""Options of a list with numbers."""


_AND_MORE = Text("and {count} more", "und {count} weitere")


def numbered(options: Sequence[str], language: Language = Language.ENGLISH) -> str:
    """Return the options as a numbered list."""
    first = options[:NUMBERED]
    lines = [f"{number}. {line(one, limit=90)}" for number, one in enumerate(first, start=1)]
    more = len(options) - len(first)
    rest = [_AND_MORE.format(count=more).of(language)] if more else []
    return "\n".join([*lines, *rest])


LEFT_OUT = Text(
    "Statements that could not be checked against the policies were left out.",
    "Weggelassen: was sich an den Richtlinien nicht prüfen ließ.",
)
ASSUMES = Text("Assumes: ", "Angenommen: ")
NO_ADVICE = Text(
    "Policy guidance, not legal advice", "Auskunft zu Richtlinien, keine Rechtsberatung"
)
UNREAD = Text(
    "I read what you write to me, not files or forwarded messages",
    "Ich lese, was Sie mir schreiben, keine Dateien oder weitergeleiteten Nachrichten",
)
NEAREST_SECTIONS = Text("Nearest sections:", "Nächstliegende Abschnitte:")
SOURCES = Text("Sources ({count})", "Quellen ({count})")
NEAREST = 5
"""Sections named where there is no answer."""
LEAF = 16
"""Hex digits of the leaf hash that go with a post: an independent prefix of the ledger."""


def remarks(answer: Answer, language: Language = Language.ENGLISH) -> Iterator[tuple[str, str]]:
    """Yield the notes below an answer: a heading and its words; either may be empty."""
    if answer.outcome is Outcome.ANSWERED and is_partial(answer):
        yield LEFT_OUT.of(language), ""
    if answer.assumptions:
        told = ", ".join(line(item, limit=80) for item in answer.assumptions[:10])
        yield ASSUMES.of(language), told
    for note in answer.notes[:5]:
        if note not in WITHOUT_MODEL.each | FROM_METADATA.each:  # the badge says so
            yield "", line(note, limit=300)


def ref(record_id: str) -> str:
    """Return how people name a record: by the end of its id, which finds it."""
    return f"Ref {line(record_id[-REFERENCE:])}"


def event_line(reply: StoredReply, first: str) -> str:
    """Return the last line of what is told of a case or a change, with its record if it has one."""
    is_recorded = bool(reply.record_id and reply.leaf_hash)
    return f"{first} · {ref(reply.record_id or '')}" if is_recorded else first


def reference(
    reply: StoredReply, *, has_file: bool = False, language: Language = Language.ENGLISH
) -> str:
    """Return the last line: what was not read, what it is, and where its record is."""
    answer = reply.answer
    is_answered = answer is not None and answer.outcome is Outcome.ANSWERED
    first = (NO_ADVICE if is_answered else AUTOMATED).of(language)
    first = f"{UNREAD.of(language)} · {first}" if has_file else first
    return f"{first} · {ref(reply.record_id)}" if reply.record_id else first
