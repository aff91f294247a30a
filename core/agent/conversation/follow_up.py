"""Build the question that a follow-up asks from the one before it, and read short replies. Pure.

"What if it is from a public official?" after "May I accept a gift from a supplier?" asks "May I
accept a gift from a public official?": people, places and amounts replace those of the question
before, and all else is added. What a follow-up brings is a new condition, which the answer must
speak of.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from core.agent.conversation.counterpart import candidates, exchanged, named_thing
from core.domain.question import EMPLOYMENT, JURISDICTION, Assumption
from core.expressions import expression
from core.language.conditions import Condition, ConditionKind, conditions_in, shown
from core.language.content_words import content_words, words
from core.language.jurisdictions import (
    NamedCountry,
    countries_named,
    country_code,
    country_name,
    own_country,
    without_jurisdictions,
)
from core.language.people import STAFF, Mention, mentions, names_in, own_group
from core.language.quantities import quantities
from core.ports import Vector

_CHOICE = expression(
    r"^(?:i(?:'d|'ll|\s+would|\s+will)?\s+(?:choose|take|pick|mean|meant|want)\s+)?"
    r"(?:the\s+)?(?:(?:option|number|no\.?|answer|choice|case)\s*|#)?"
    r"(?P<which>\d{1,3}|[a-z]+)(?:st|nd|rd|th)?"
    r"(?:\s+(?:one|option|answer|choice|case))?(?:,?\s+please)?$",
    re.IGNORECASE,
)
_NUMBER_WORDS: tuple[tuple[str, ...], ...] = (
    ("first", "one"),
    ("second", "two"),
    ("third", "three"),
    ("fourth", "four"),
    ("fifth", "five"),
    ("sixth", "six"),
)
_DENIES = expression(r"\b(?:not|neither|nor|except|other than)\b|n't\b", re.IGNORECASE)
_WHO = expression(
    r"\b(?:employees?|contractors?|freelancers?|interns?|apprentices?|managers?|directors?)\b",
    re.IGNORECASE,
)
_SHORT = 7
"""Words up to which a reply names one fact."""


def option_chosen(text: str, options: Sequence[str]) -> str | None:
    """Return which of the options a reply chooses, by its place or its name."""
    folded = text.strip(" .!()").casefold().replace("\u2019", "'")
    place = _place(folded, len(options))
    if place is not None:
        return options[place - 1]
    if _DENIES.search(folded):
        return None
    named = [option for option in options if option.casefold() in folded]
    return named[0] if len(named) == 1 and len(words(text)) <= _SHORT else None


def _place(folded: str, count: int) -> int | None:
    """Return which of `count` options a reply names by its place, from 1 ("the second one")."""
    found = _CHOICE.match(folded)
    if found is None:
        return None
    which = found["which"]
    if which.isdecimal():
        place = int(which)
    elif which == "last":
        place = count
    else:
        place = next((n for n, names in enumerate(_NUMBER_WORDS, 1) if which in names), 0)
    return place if 1 <= place <= count else None


def value_told(text: str, slot: str) -> str:
    """Return the country or the kind of work that a short reply names; else its words."""
    if len(words(text)) > _SHORT or _DENIES.search(text):
        return text
    if slot == JURISDICTION:
        code = country_code(text)
        return text if code is None else country_name(code)
    if slot == EMPLOYMENT:
        named = {match[0].casefold().removesuffix("s") for match in _WHO.finditer(text)}
        return named.pop() if len(named) == 1 else text
    return text


def more_told(text: str, slot: str) -> tuple[Assumption, ...]:
    """Return what a short reply tells beside what was asked for ("UK, employee")."""
    other = EMPLOYMENT if slot == JURISDICTION else JURISDICTION
    if slot not in {EMPLOYMENT, JURISDICTION}:
        return ()
    value = value_told(text, other)
    is_told = value != text and len(words(text)) > 1
    return (Assumption(slot=other, value=value, source="asker"),) if is_told else ()


_LEAD = expression(
    r"(?>(?:(?:ok(?:ay)?|so|and|but|or|also|hm+|thanks|thank you|then|well|sorry|actually|wait|no"
    r"|yes|great|good|sure|right|now)\b[\s,.!:-]*+)*)",
    re.IGNORECASE,
)
_SUPPOSES = expression(
    r"(?:(?:what|how)(?: happens)? if|even if|only if|if|when|in case|suppos(?:e|ing)(?: that)?"
    r"|assuming(?: that)?|(?:is (?:it|that)|would (?:it|that) be) (?:also )?the same (?:if|when)"
    r"|does (?:it|this|that) (?:also )?(?:apply|hold|count) (?:if|when))\b[\s,:]*+",
    re.IGNORECASE,
)
"""Before a circumstance with a verb of its own."""
_TURNS_TO = expression(
    r"(?:(?:what|how) about|what of|(?:(?:is|are) (?:it|that|they) )?(?:also )?(?:the )?same (?:for"
    r"|with|in|goes for|applies to)"
    r"|(?:does|do|would|will) (?:it|this|that|they|these) (?:also )?(?:apply|hold|count|go)"
    r" (?:to|for|with|in))\b[\s,:]*+",
    re.IGNORECASE,
)
"""Before somebody or something else."""
_PREPOSITION = expression(
    r"(?:for|as|in|with|from|to|at|on|by|without|under|over|above|below|after|before|during"
    r"|between|towards?|of)\b",
    re.IGNORECASE,
)
_ASKS = expression(
    r"\b(?:who|whom|whose|what|when|where|which|why|how|can|may|must|do|does|did|should|could"
    r"|would|will|shall)\b",
    re.IGNORECASE,
)
"""A word that makes a question of its own, which takes no place in another."""
_SENTENCE = expression(r"[^.!?]+[.!?]*\s*")
_PRONOUN = expression(
    r"^(?:it|this|that|these|those|they|he|she|there|i|we|you|the (?:gift|person|other side|other"
    r" party|giver|amount|value|price))\b(?:\s*['\u2019](?:s|m|re|ve|d|ll)\b|\s+(?:is|are|was|were"
    r"|am|comes?|came|costs?|works?|do|does))*(?:\s+(?:only|just|also|still|worth|actually))*\s*",
    re.IGNORECASE,
)
_ARTICLE = expression(r"\bthe\s+$", re.IGNORECASE)
_BARE = expression(
    rf"^(?:{_PREPOSITION.pattern}\s+)?(?:(?:an?|the|my|our|your|his|her|their|any)\s+)?",
    re.IGNORECASE,
)
"""What stands before the telling words of a circumstance."""
_GENERAL = expression(
    r"^(?:(?:what about|how about) )?(?:(?:and|or|but) )?(?:in general|generally|everywhere"
    r"|anywhere|in any country|regardless of (?:the )?(?:country|location)|worldwide|group-?wide"
    r"|in all countries|without (?:a|any) country|independent of (?:the )?country)\W*$",
    re.IGNORECASE,
)
_AMONG_US = expression(
    r"\b(?P<verb>can|may|must|do|should|could|shall|would|will|am)\s+(?:i|we)\b", re.IGNORECASE
)
_TALK = content_words(
    "say like thing case same apply situation happen come get give offer want go mean rule policy"
    " question person somebody someone one exactly actually instead worth cost still now"
)
_OPPOSITE = frozenset({"from", "to"})
"""Who gives does not take the place of who is given."""
_REST = 12
"""Words up to which a follow-up's rest is taken into the earlier question."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FollowUp:
    """What a follow-up asks."""

    standalone: str
    """The question as it would stand alone."""
    news: tuple[Condition, ...] = ()
    """What it brings, where it brings nothing but circumstances; empty where it asks anew."""
    is_general: bool = False
    """True: it asks without the country that was assumed."""
    compared: tuple[str, ...] = ()
    """Things whose likeness decides what takes whose place; empty: nothing is open."""


_DANGLING = expression(r"(?<!\s)\s++(?:in|for|from)(?:\s++the)?\s*+(?=[?.!,]|\Z)")
_ALSO = expression(r"(?<!\s)\s++(?:too|as well|also|instead|then|please)\W*$", re.IGNORECASE)
_TRAILING = expression(rf"(?:{_PREPOSITION.pattern}\s+)?(?:the\s+)?$", re.IGNORECASE)
_GAP = expression(r"(?<!\s)\s++(?=[?.!,])")


def follow_up(question: str, text: str, vectors: Mapping[str, Vector] | None = None) -> FollowUp:
    """Put a follow-up into the question before it.

    Args:
        question: The earlier question, standing alone.
        text: What followed, known to refer to it.
        vectors: Of the things that were `compared` without them, unit norm.
    """
    said, question = text.strip(), _asked(question)
    if _GENERAL.match(_without_lead(said)):
        return FollowUp(standalone=_tidy(without_jurisdictions(question)), is_general=True)
    rest, supposes = _rest(said)
    if rest is None or _ASKS.search(rest) or len(words(rest)) > _REST:
        return FollowUp(standalone=f"{question} {text}")
    swapped, taken = _swapped(question, rest)
    left = content_words(_PRONOUN.sub("", rest)) - _TALK - content_words(question)
    for part in taken:
        left -= content_words(part)
    news = _news(question, rest, has_more=bool(left))
    if taken and not left:
        return FollowUp(standalone=swapped, news=news)
    other = _for_another(swapped, _untaken(rest, taken), supposes=supposes, vectors=vectors)
    if other is not None:
        return replace(other, news=news)
    return FollowUp(standalone=_added(swapped, rest, text, supposes=supposes), news=news)


def _news(question: str, rest: str, *, has_more: bool) -> tuple[Condition, ...]:
    """Return the conditions that a circumstance brings; `has_more`: words that are none by kind."""
    asked = {one.name for one in _conditions(question)}
    news = tuple(replace(one, is_new=True) for one in _conditions(rest) if one.name not in asked)
    if news or not has_more:
        return news
    said = shown(_BARE.sub("", _PRONOUN.sub("", rest)))
    return (Condition(kind=ConditionKind.OTHER, words=said, name=said, is_new=True),)


def _for_another(
    question: str, rest: str, *, supposes: bool, vectors: Mapping[str, Vector] | None
) -> FollowUp | None:
    """Return the question for another thing; None if a circumstance names none, or more."""
    said = _ALSO.sub("", _PRONOUN.sub("", rest) if supposes else rest)
    thing = named_thing(said, is_clause=supposes)
    if thing is None or any(one.end == thing.end for one in mentions(said)):
        return None
    put = exchanged(question, said, thing, vectors)
    if put is None:
        return None
    known = candidates(question, thing)
    compared = (thing.words, *(one.words for one in known)) if len(known) > 1 else ()
    return FollowUp(standalone=put, compared=compared)


def _untaken(rest: str, taken: Sequence[str]) -> str:
    """Return a circumstance without what was put into the question already."""
    for part in taken:
        before, _, after = rest.partition(part)
        rest = f"{_TRAILING.sub('', before)} {after}"
    return " ".join(rest.split())


def _asked(question: str) -> str:
    """Return a question without the sentences that only told of its asker, if there are others."""
    parts = _SENTENCE.findall(question)
    asked = [one for one in parts if "?" in one or not (own_country(one) or own_group(one))]
    return "".join(asked).strip() or question


def _without_lead(said: str) -> str:
    lead = _LEAD.match(said)
    return said[lead.end() :] if lead else said


def _rest(said: str) -> tuple[str | None, bool]:
    """Return the circumstance that a follow-up names, and whether it is a clause; None: none."""
    core = _without_lead(said)
    for pattern, supposes in ((_SUPPOSES, True), (_TURNS_TO, False)):
        found = pattern.match(core)
        if found:
            return core[found.end() :].strip(" ?!."), supposes
    alone = _ALSO.sub("", core)
    has_lead = len(core) < len(said) or len(alone) < len(core)
    core = alone
    tells = own_country(core) is not None or own_group(core) is not None
    if _PREPOSITION.match(core) or ((has_lead or tells) and not _ASKS.search(core)):
        return core.strip(" ?!."), False
    return None, False


def _conditions(rest: str) -> tuple[Condition, ...]:
    """Return the conditions of a circumstance; whoever it names is one."""
    people = tuple(
        Condition(
            kind=ConditionKind.COUNTERPARTY if one.is_outside else ConditionKind.GROUP,
            words=shown(one.noun),
            name=one.name,
        )
        for one in mentions(rest)
        if one.name != STAFF
    )
    others = tuple(
        one
        for one in conditions_in(rest)
        if one.kind in {ConditionKind.PLACE, ConditionKind.AMOUNT}
    )
    return people + others


def _swapped(question: str, rest: str) -> tuple[str, list[str]]:
    """Put who, where and how much into a question; return it with the words that were put in."""
    taken: list[str] = []
    people = _as_one(mentions(rest))
    asked = names_in(question)
    for one in () if any(one.name in asked and one.is_outside for one in people) else people:
        put = _put_person(question, one, rest[one.start : one.end])
        if put is not None:
            question = put
            taken.append(rest[one.start : one.end])
    for place in countries_named(rest, with_cities=True):
        put = _put_place(question, place, rest)
        if put is not None:
            question = put
            taken.append(rest[place.start : place.end])
    for amount in quantities(rest):
        known = [one for one in quantities(question) if one.kind == "amount"]
        if amount.kind == "amount" and known:
            at = known[0].span
            question = f"{question[: at.char_start]}{amount.raw.strip()}{question[at.char_end :]}"
            taken.append(amount.raw)
    return question, taken


def _as_one(people: Sequence[Mention]) -> Sequence[Mention]:
    """Return several people outside as one ("a customer or a relative"): they take one place."""
    if len(people) < 2 or not all(one.is_outside for one in people):  # noqa: PLR2004
        return people
    return [replace(people[0], end=people[-1].end)]


def _put_person(question: str, one: Mention, said: str) -> str | None:
    known = [other for other in mentions(question) if other.is_outside == one.is_outside]
    alike = [other for other in known if other.preposition == one.preposition]
    if not alike and not {one.preposition, *(k.preposition for k in known)} >= _OPPOSITE:
        alike = known
    if alike and one.is_outside:
        at = alike[0]
        return f"{question[: at.start]}{said}{question[at.end :]}"
    if one.is_outside:
        fits = bool(one.preposition) and not known
        return _with(question, f"{one.preposition} {said}") if fits else None
    noun = _plural(one.noun)
    if alike:
        at = alike[0]
        return f"{question[: at.start]}{noun}{question[at.end :]}"
    asked = _AMONG_US.search(question)
    if asked is None:
        return _with(question, f"for {noun}")
    verb = "are" if asked["verb"].casefold() == "am" else asked["verb"]
    verb = verb.capitalize() if asked["verb"][0].isupper() else verb
    return f"{question[: asked.start()]}{verb} {noun}{question[asked.end() :]}"


def _put_place(question: str, place: NamedCountry, rest: str) -> str | None:
    """Put a country into a question.

    None where it says where the asker is, and the question is about going elsewhere.
    """
    known = list(countries_named(question, with_cities=True))
    fitting = [one for one in known if not (place.is_own and one.is_destination)]
    article = "the " if _ARTICLE.search(rest[: place.start]) else ""
    name = f"{article}{rest[place.start : place.end]}"
    if fitting:
        first = fitting[0]
        return f"{_ARTICLE.sub('', question[: first.start])}{name}{question[first.end :]}"
    return None if known else _with(question, f"in {name}")


def _added(question: str, rest: str, text: str, *, supposes: bool) -> str:
    """Add a circumstance that takes the place of nothing."""
    if supposes:
        return _with(question, f"if {rest}")
    return _with(question, rest) if _PREPOSITION.match(rest) else f"{question} {text}"


def _with(question: str, said: str) -> str:
    """Add words to a question, before what was told after it ("What is the limit? Germany")."""
    end = question.rfind("?")
    asked, told = (question[:end], question[end + 1 :]) if end > 0 else (question, "")
    return f"{asked.rstrip(' ?!.')} {said}?{told}"


def _plural(noun: str) -> str:
    return noun if noun.casefold().endswith(("s", "staff", "personnel")) else f"{noun}s"


def _tidy(question: str) -> str:
    """Close the gap that a removed country leaves ("the limit in the ?")."""
    told = _DANGLING.sub("", " ".join(question.split()))
    return _GAP.sub("", told).strip()
