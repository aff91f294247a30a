"""What a question binds its answer to: whom it is about, where, and which amount.

"Can I give wine worth EUR 40 to a public official in Germany?" names a counterparty, an amount and
a place. What is quoted must speak of them, or the reply says that the policy does not mention them.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from core.expressions import expression
from core.language.content_words import content_words
from core.language.jurisdictions import countries_named, jurisdictions_in
from core.language.modality import Modality, modality
from core.language.people import STAFF, Mention, covers_everybody, mentions, names_in
from core.language.quantities import quantities

QUOTED = 40
"""Characters of a condition that are shown."""
_SHOWN = expression(r"(?!(?<=\d)\.(?=\d))[^\w\s'\u2019,%&\u20ac$\u00a3-]|_")
"""What is never shown of the asker's words: nothing of it can become markup, a link or a name."""
_FAMILY = 5
"""Letters from which words that begin alike are of one family ("weekend", "weekends")."""
_REACH = 40
"""Characters before a group that are read."""
_ENOUGH = 0.5
"""Share of a condition's words that a text must have to speak of it."""
_ELSEWHERE = expression(
    r"\b(?:abroad|overseas|foreign|international\w*|worldwide|global\w*|countr(?:y|ies)"
    r"|jurisdictions?|locations?|anywhere|everywhere)\b",
    re.IGNORECASE,
)
"""Words that speak of any country."""
_AS_ONE = expression(
    r"\b(?:i\s*['\u2019]?m|i am|we are|we['\u2019]?re|as|for|being|if i am|if i'm|are|can|may|must"
    r"|do|should|shall|could|would|will)\s+(?:(?:also|still|just|only|all|our|the|an?)\s+)*$",
    re.IGNORECASE,
)
"""What stands before a group where a question is asked for it ("as an intern", "can interns")."""


class ConditionKind(StrEnum):
    """What a condition is about."""

    GROUP = "group"
    COUNTERPARTY = "counterparty"
    PLACE = "place"
    AMOUNT = "amount"
    POLICY = "policy"
    OTHER = "other"


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """One circumstance that a question names."""

    kind: ConditionKind
    """What it is about."""
    words: str
    """As asked, at most `QUOTED` characters, without any that could be markup."""
    name: str
    """What texts are compared by: a kind of people, an ISO 3166 code, an amount; else the words."""
    is_new: bool = False
    """True: a follow-up brought it, so it is what is asked."""


def conditions_in(text: str) -> tuple[Condition, ...]:
    """Return the conditions that a question names, each kind of people, place and amount once."""
    found = {(one.kind, one.name): one for one in _read(text)}
    return tuple(found.values())


def shown(words: str) -> str:
    """Return words as they may be shown: short, on one line, without markup."""
    plain = " ".join(_SHOWN.sub(" ", words).split()).strip(" ,'\u2019-&")
    if len(plain) <= QUOTED:
        return plain
    cut = plain[: QUOTED - 1].rpartition(" ")[0] or plain[: QUOTED - 1]
    return f"{cut.rstrip(' ,-&')}\u2026"


def _read(text: str) -> Iterator[Condition]:
    for one in mentions(text):
        kind = _kind(text, one)
        if kind is not None:
            yield Condition(kind=kind, words=shown(one.noun), name=one.name)
    for place in countries_named(text):
        yield Condition(
            kind=ConditionKind.PLACE, words=shown(text[place.start : place.end]), name=place.code
        )
    for amount in quantities(text):
        if amount.kind == "amount":
            yield Condition(
                kind=ConditionKind.AMOUNT, words=shown(amount.raw), name=amount.canonical
            )


def _kind(text: str, one: Mention) -> ConditionKind | None:
    """Return what naming somebody binds an answer to; None: they are part of what is asked."""
    if one.is_outside:
        return ConditionKind.COUNTERPARTY
    return ConditionKind.GROUP if one.name != STAFF and _is_asked_for(text, one) else None


def _is_asked_for(text: str, one: Mention) -> bool:
    return _AS_ONE.search(text[max(0, one.noun_start - _REACH) : one.noun_start]) is not None


def groups_asked_for(text: str) -> frozenset[str]:
    """Return the groups for which a question is asked ("can contractors ...", "as an intern")."""
    return frozenset(
        one.name for one in mentions(text) if not one.is_outside and _is_asked_for(text, one)
    )


def is_met(condition: Condition, quoted: Sequence[str]) -> bool:
    """Say whether what is quoted speaks of a condition.

    Args:
        condition: What was asked under.
        quoted: Each quoted text, with the headings it stands under.
    """
    if condition.kind in {ConditionKind.GROUP, ConditionKind.COUNTERPARTY}:
        return any(_speaks_of(condition, text) for text in quoted)
    whole = "\n".join(quoted)
    if condition.kind is ConditionKind.PLACE:
        named = jurisdictions_in(whole, with_cities=True)
        return condition.name in named or _ELSEWHERE.search(whole) is not None
    if condition.kind is ConditionKind.POLICY:
        return any(shares(condition.name, text, enough=1.0) for text in quoted)
    if condition.kind is ConditionKind.AMOUNT:
        return any(one.kind in {"amount", "percentage"} for one in quantities(whole))
    return shares(condition.words, whole)


def unmet_conditions(
    conditions: Sequence[Condition], quoted: Sequence[str]
) -> tuple[Condition, ...]:
    """Return the conditions that nothing quoted speaks of; see `is_met`."""
    return tuple(one for one in conditions if not is_met(one, quoted))


def _speaks_of(condition: Condition, text: str) -> bool:
    if condition.name in names_in(text) or shares(condition.words, text, enough=1.0):
        return True
    is_outside = condition.kind is ConditionKind.COUNTERPARTY
    if not covers_everybody(text, is_outside=is_outside):
        return False
    # What holds for anybody may still be stricter for officials: only "never" is as strict.
    return condition.name != "public official" or modality(text) is Modality.MUST_NOT


def shares(words: str, text: str, *, enough: float = _ENOUGH) -> bool:
    """Say whether a text has enough of the telling words, or of words of their families."""
    wanted = content_words(words)
    there = content_words(text)
    families = {word[:_FAMILY] for word in there}
    found = [word for word in wanted if word in there or word[:_FAMILY] in families]
    return len(found) >= enough * len(wanted)
