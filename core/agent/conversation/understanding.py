"""Understand a message in its thread: a reply to our question, a follow-up, or a new question."""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from core.agent.conversation.follow_up import follow_up, more_told, option_chosen, value_told
from core.agent.conversation.small_talk import SmallTalk, small_talk, without_greeting
from core.domain.answer import Outcome
from core.domain.question import (
    ABOUT_US_SLOT,
    ALL,
    EMPLOYMENT,
    JURISDICTION,
    UNASKED_SLOT,
    Assumption,
    Question,
    Turn,
)
from core.expressions import expression
from core.language.conditions import Condition, conditions_in, groups_asked_for
from core.language.content_words import content_words, words
from core.language.jurisdictions import (
    country_code,
    country_name,
    own_country,
    rules_of,
    without_jurisdictions,
)
from core.language.people import GROUPS, mentions, names_in, own_group
from core.ports import Vector

_FOLLOWS = expression(
    r"^(?:and|or|but|also|what about|how about|what if|same for|is that (?:also|the same)"
    r"|does (?:that|this|it)|is (?:it|this)"
    r"|do they|are they|for|then|why|who approves (?:it|that|this)|since when|even if|in|as an?)\b",
    re.IGNORECASE,
)
_HEARD = expression(
    r"^(?>(?:(?:ok(?:ay)?|great|good|thanks|thank you|thx|sure|right|hm+|alright|cool|got it"
    r"|sorry|(?:i )?meant|i mean)\b"
    r"[\s,.!:-]*+)+)(?=\w)",
    re.IGNORECASE,
)
"""With what people show that they heard the last answer."""
_MEANT = expression(
    r"\A(?>(?:(?:no|nope|sorry|oh|ah|wait|actually|hm+|not that)\b[\s,.!:-]*+)*)"
    r"i (?:actually |really |rather )?(?:meant|mean)\b(?: to (?:say|ask))?[\s,:]*+(?=\w)",
    re.IGNORECASE,
)
"""What stands before that with which somebody corrects themselves."""
_ADDS = expression(r"\b(?:too|as well|also|instead)\W*\Z", re.IGNORECASE)
_REFERS = expression(r"\b(?:it|that|this|they|them|those|these|there|then|one)\b", re.IGNORECASE)
_POINTS_NOWHERE = expression(
    r"\b(?:is|was)\s+it(?:\s+\w+){1,2}\s+(?:to|that|if|when)\b"
    r"|\b(?:is|are|was|were)\s+there\b|\bthere\s+(?:is|are|was|were)\b"
    r"|\bth(?:is|e)\s+(?:company|firm|group|organi[sz]ation|employer|year|quarter|month|week)\b",
    re.IGNORECASE,
)
"""Words that refer to nothing said before: "is it allowed to", "are there", "this company"."""
_ALL = expression(
    r"^(?:(?:answer )?(?:for )?(?:all|both|every|each)(?: of them)?|(?:für )?(?:alle|beide))[.!]?$",
    re.IGNORECASE,
)
_NEW_QUESTION = expression(
    r"^(?:(?:(?:for|in|to|by|at|from|with|on|until|under|as)\s+(?=how|wh)"
    r"|(?:for|in|as)\s[^,]+,\s+)?"
    r"(?:what(?! about| if)|who|whom|whose|when|where|which|how(?! about))"
    r"|(?:(?:for|in|as)\s[^,]+,\s+)?(?:can|may|must|do|does|is|are|am|should))\b",
    re.IGNORECASE,
)
_ELLIPSIS = expression(
    r"^(?:for|in|to|by|at|from|with|on|until|under|as)(?:\s+\w+){1,2}\W*$", re.IGNORECASE
)
"""A question that lacks its verb ("For how long?")."""
_GOES_ON = expression(
    r"^(?:and|or|but|also|what about|how about|what if|even if|same for|does|do|is|are)\b",
    re.IGNORECASE,
)
"""A follow-up that is no reply: "for the Lisbon office" and "in Berlin" may be one."""
_ASKED_ALONE = expression(
    r"^(?:(?:for|in|to|by|at|from|with|on|until|under|as|of|about|since)\s+)?"
    r"(?:what|who|whom|whose|when|where|which|how|why)\b",
    re.IGNORECASE,
)
"""How a message begins that asks and, without a word of its own, asks of what was said."""
_MEASURED = content_words(
    "much many long often far soon fast late early exactly roughly time money cost day week month"
    " year hour minute percent times"
)
"""Words that ask for a measure of something else ("how many days?")."""
_LEANS_BACK = expression(r"\b(?:one|it|them|those|these)\W*$", re.IGNORECASE)
LEAST_OWN = 3
"""Telling words from which a message that ends in a pronoun is taken to name itself what it means
("My manager gave me a gift, can I keep it?"). Of 8,375 questions about workplace policies, which
all stand alone, 3 are taken for a follow-up by this or by `_ASKED_ALONE`."""
_SHORT = 7
"""Words up to which a message that refers back is a follow-up, or names one fact."""
_LEAST_QUESTION = 3
"""Words from which a reply with a question mark is a question of its own."""
_LONG_REPLY = 4
"""Words up to which a reply without one is no question."""
_INVISIBLE = frozenset({"Cc", "Cf", "Co", "Cs"})
_BLANKS = expression(r"[^\S\n]{2,}+")
_EMPTY_LINES = expression(r"(?>(?:[^\S\n]?\n){3,})")
_LONG_NUMBER = expression(r"(\d{40})\d++")
"""No quantity has more digits: what follows is cut off before anybody reads a number in it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Understood:
    """A message with what its thread adds."""

    standalone: str
    """The question as it would stand alone."""
    follows: bool = False
    """True: it takes something from an earlier turn."""
    assumptions: tuple[Assumption, ...] = ()
    """Facts that this message states, and those that its writer stated before."""
    conditions: tuple[Condition, ...] = ()
    """See `Question.conditions`."""
    compared: tuple[str, ...] = ()
    """See `FollowUp.compared`."""


def clean(text: str, *, most: int | None = None) -> str:
    """Return the text without invisible characters, in NFC, with single spaces.

    A control character parts words and becomes a space; a soft hyphen or a zero-width character
    stands inside a word and leaves nothing. Of empty lines one is left.

    Args:
        text: What was typed.
        most: How many characters are returned at most, of four times as many that are looked at:
            a mebibyte took 0.2 s; None: all.
    """
    if most is not None:
        return clean(text[: 4 * most])[:most]
    kept = unicodedata.normalize("NFC", "".join(map(_visible, text)))
    return _EMPTY_LINES.sub("\n\n", _BLANKS.sub(" ", kept)).strip()


def shortened(text: str) -> str:
    """Return the text without the end of numbers that are longer than any quantity."""
    return _LONG_NUMBER.sub(r"\1", text)


def _visible(letter: str) -> str:
    category = unicodedata.category(letter)
    if letter in "\n\t" or category not in _INVISIBLE:
        return letter
    return " " if category == "Cc" else ""


def understand(
    text: str,
    history: Sequence[Turn],
    *,
    asker: str = "",
    vectors: Mapping[str, Vector] | None = None,
) -> Understood:
    """Resolve a message against the earlier turns of its conversation.

    Small talk among them says nothing. What its writer told of themselves in an earlier message
    still holds, unless this one says or asks otherwise.

    Args:
        text: The message.
        history: Earlier turns, oldest first.
        asker: Who wrote it.
        vectors: See `follow_up`.
    """
    text = without_greeting(shortened(text))
    turns = [turn for turn in history if not _says_nothing(turn)]
    meant = _in_its_thread(text, turns, vectors)
    told = (*meant.assumptions, *_told(text, known=meant.assumptions))
    kept = _kept(_told_before(turns, asker=asker), told=told, standalone=meant.standalone)
    return replace(meant, assumptions=(*told, *kept), conditions=_conditions(meant))


def _says_nothing(turn: Turn) -> bool:
    """Say whether an earlier turn was small talk, or about us."""
    return turn.slot == ABOUT_US_SLOT or small_talk(turn.question) is not None


def chat_in(text: str, history: Sequence[Turn]) -> SmallTalk | None:
    """Return which small talk a message is in its thread; None: it may say something."""
    said = [turn for turn in history if turn.slot != ABOUT_US_SLOT]
    last = said[-1] if said else None
    is_open = last is not None and (
        last.outcome == Outcome.CLARIFICATION and last.slot != UNASKED_SLOT
    )
    return small_talk(text, is_asked_back=is_open)


def small_talk_of(question: Question) -> SmallTalk | None:
    """Return which small talk a message is; with something pointed at it asks about that.

    Who we are is a question, which `core.agent.about_us` answers.
    """
    talk = chat_in(question.text, question.history)
    is_chat = talk is not None and not any(one.is_chosen for one in question.context)
    return talk if is_chat and talk is not SmallTalk.IDENTITY else None


def _in_its_thread(
    text: str, turns: Sequence[Turn], vectors: Mapping[str, Vector] | None
) -> Understood:
    if not turns or turns[-1].slot == UNASKED_SLOT or chat_in(text, turns) is not None:
        return Understood(standalone=text)
    last = turns[-1]
    meant = _MEANT.match(text)
    if meant is not None:
        said = text[meant.end() :]
        return _reply(said, last) if _answers(said, last) else _mended(said, last, vectors)
    if last.outcome == Outcome.CLARIFICATION:
        return _reply(text, last)
    if _corrects(text) or _is_follow_up(text):
        return _following(text, last, vectors)
    alone = _told_alone(text)
    if alone is not None:
        lead = "in" if alone.slot == JURISDICTION else "as"
        meant = _following(f"{lead} {alone.value}", last)
        return replace(meant, assumptions=(alone,))
    return Understood(standalone=text)


def _told_alone(text: str) -> Assumption | None:
    """Return what a message tells that is nothing but a country or a group ("Germany")."""
    code, people = country_code(text), mentions(text)
    if code is not None and not content_words(without_jurisdictions(text)):
        return Assumption(slot=JURISDICTION, value=country_name(code), source="asker")
    if len(people) != 1 or people[0].is_outside:
        return None
    if content_words(text) - content_words(people[0].noun):
        return None
    return Assumption(slot=EMPLOYMENT, value=people[0].name, source="asker")


def _mended(text: str, last: Turn, vectors: Mapping[str, Vector] | None) -> Understood:
    """Understand what somebody says that they meant instead ("no, I meant accident reports")."""
    if _NEW_QUESTION.match(text) and len(words(text)) > _LONG_REPLY:
        return Understood(standalone=text)
    return _following(f"and {text}", last, vectors)


def _following(text: str, last: Turn, vectors: Mapping[str, Vector] | None = None) -> Understood:
    meant = follow_up(last.question, _HEARD.sub("", text), vectors)
    lifted = (Assumption(slot=JURISDICTION, value=ALL, source="asker"),)
    return Understood(
        standalone=meant.standalone,
        follows=True,
        assumptions=lifted if meant.is_general else (),
        conditions=meant.news,
        compared=meant.compared,
    )


def _told(text: str, *, known: Sequence[Assumption]) -> tuple[Assumption, ...]:
    """Return what a message tells of its writer: the country, and the kind of work."""
    slots = {one.slot for one in known}
    code, group = own_country(text), own_group(text)
    said = (
        (JURISDICTION, country_name(code) if code else None),
        (EMPLOYMENT, group),
    )
    return tuple(
        Assumption(slot=slot, value=value, source="asker")
        for slot, value in said
        if value is not None and slot not in slots
    )


def _told_before(turns: Sequence[Turn], *, asker: str) -> dict[str, str]:
    """Return what this asker told in earlier messages, by slot, the latest of each.

    A reply that names no country, no group and none of the options held for its question alone.
    """
    told: dict[str, str] = {}
    offered = {option for turn in turns for option in turn.options}
    for turn in turns:
        if turn.asker != asker and turn.asker and asker:
            continue
        held = [one for one in turn.assumptions if one.slot in {JURISDICTION, EMPLOYMENT}]
        told |= {one.slot: one.value for one in held}
    return {
        slot: value
        for slot, value in told.items()
        if value != ALL and (value in offered or country_code(value) or names_in(value))
    }


def _kept(
    before: Mapping[str, str], *, told: Sequence[Assumption], standalone: str
) -> tuple[Assumption, ...]:
    """Return what was told before and still holds: nothing here says or asks otherwise."""
    changed = {one.slot for one in told}
    asked = {JURISDICTION: rules_of(standalone), EMPLOYMENT: groups_asked_for(standalone)}
    return tuple(
        Assumption(slot=slot, value=value, source="thread")
        for slot, value in before.items()
        if slot not in changed and not asked[slot] - {value, country_code(value)}
    )


def _conditions(meant: Understood) -> tuple[Condition, ...]:
    """Return the conditions of a question, those that it brought to its thread first."""
    new = {(one.kind, one.name) for one in meant.conditions}
    named = conditions_in(meant.standalone)
    return (*meant.conditions, *(one for one in named if (one.kind, one.name) not in new))


def _corrects(text: str) -> bool:
    """Say whether a message only tells where or as what its writer works ("I'm in France")."""
    is_short = len(words(text)) <= _SHORT + 3 and not text.rstrip().endswith("?")
    return is_short and (own_country(text) is not None or own_group(text) is not None)


def _reply(text: str, last: Turn) -> Understood:
    chosen = option_chosen(text, last.options)
    slot = last.slot or "referent"
    if chosen is None and _ALL.match(text):
        chosen = ALL
    if chosen is None and slot in {JURISDICTION, EMPLOYMENT} and _goes_on(text, slot):
        return _following(text, last)
    if chosen is None and _asks_anew(text):
        return Understood(standalone=text)
    value = chosen or value_told(text, slot)
    said = Assumption(slot=slot, value=value, source="asker")
    if value == ALL:
        return Understood(standalone=last.question, follows=True, assumptions=(said,))
    more = more_told(text, slot)
    standalone = " ".join((_with_reply(last.question, slot, value), *(one.value for one in more)))
    return Understood(standalone=standalone, follows=True, assumptions=(said, *more))


def _with_reply(question: str, slot: str, value: str) -> str:
    """Return a question with what was asked back; asked for a group, where it is one of ours."""
    if slot == EMPLOYMENT and value in GROUPS:
        return follow_up(question, f"as {value}").standalone
    return f"{question} {value}"


def _answers(text: str, last: Turn) -> bool:
    """Say whether words are an answer to what was asked back."""
    if last.outcome != Outcome.CLARIFICATION:
        return False
    is_told = last.slot in {JURISDICTION, EMPLOYMENT} and value_told(text, last.slot) != text
    return option_chosen(text, last.options) is not None or is_told


def _goes_on(text: str, slot: str) -> bool:
    """Say whether a reply is a follow-up to the question instead, and names nothing of a slot."""
    is_one = _is_follow_up(text) and _GOES_ON.match(_HEARD.sub("", text)) is not None
    return is_one and value_told(text, slot) == text


def _asks_anew(text: str) -> bool:
    """Say whether a reply is a question of its own, although an answer was asked for."""
    count = len(words(text))
    is_whole = text.endswith("?") and count >= _LEAST_QUESTION and not refers(text)
    return _NEW_QUESTION.match(text) is not None and (is_whole or count > _LONG_REPLY)


def _is_follow_up(text: str) -> bool:
    text = _HEARD.sub("", text)
    count = len(words(text))
    if _FOLLOWS.match(text) and count <= _SHORT + 3:
        is_new = _NEW_QUESTION.match(text) and not _ELLIPSIS.match(text)
        return not is_new or refers(text)
    if count <= _SHORT:
        if _ADDS.search(text) and not _NEW_QUESTION.match(text):
            return True
        is_bare = not content_words(text) - _MEASURED
        return refers(text) or (is_bare and _ASKED_ALONE.match(text) is not None)
    alone = _LEANS_BACK.sub("", text)
    return alone != text and len(content_words(alone)) < LEAST_OWN


def points_back(text: str) -> bool:
    """Say whether a message needs what was said before it, by whomever."""
    return _is_follow_up(text)


def refers(text: str) -> bool:
    """Say whether a message points back to what was said before it."""
    return _REFERS.search(_POINTS_NOWHERE.sub(" ", text)) is not None
