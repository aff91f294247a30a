"""The main clauses of a statement, which make its rules."""

import re
from collections.abc import Sequence
from dataclasses import replace

from core.language.modality import FORBIDDING, ModalClause, Modality, may_be_modal, modalities
from core.language.spans import TextSpan

FRONTED = re.compile(
    r"^(?:if|when|whenever|where|unless|before|after|until|once|provided that|in case|upon|during"
    r"|throughout|prior to|following|as long as|subject to|notwithstanding"
    r"|from|in the event|in (?:the )?cases? of|in case|on the \w+ of|should)\b[^,]*"
    r"(?:(?:, [^,]{1,40}){0,5}, (?:or|and) [^,]*)?(?:,|$)",
    re.IGNORECASE,
)
_IN_BRACKETS = re.compile(r"\([^()]{1,80}\)|(?<=\d),(?=\d)")
"""A remark on one word ("the status (if applicable)"), and no condition of the whole; and the comma
of a number, which parts nothing."""
_IF_WHO = re.compile(r"(?:if|when|whenever|where|unless|while|once)\b[^,]*\Z", re.IGNORECASE)
"""The subject of a condition that a second verb shares ("if you travel and need to pay")."""
_CAUSE = re.compile(
    r"(?:\A|\s)(?:as|since|because)\s(?:this|it|they|you|we|the|that|these|those"
    r"|there)\b[^,]{0,80}\Z",
    re.IGNORECASE,
)
"""Before a verb that gives a reason, and no rule ("as this requires a restart")."""
_AS = re.compile(r"\bas (?:is |are |otherwise )?\Z", re.IGNORECASE)
"""Before a verb that says what a rule rests on ("as required by law")."""
_IN_A_CASE = re.compile(
    r"\b(?:if|when|whenever|where|unless|while|once|because|who|that|which)\b", re.IGNORECASE
)
_OF_ANYTHING = re.compile(r"(?:requires?|needs?|prohibits?|permits?|allows?)\Z", re.IGNORECASE)
"""A verb that any subject may have: joined by "and", it may be that of a condition before it."""
_THAT = re.compile(r"\s*that\s+(?!said\b)\w", re.IGNORECASE)
"""How a clause begins that is a part of what is asked for ("expect that", "be aware that")."""
_ASKS = re.compile(r"\W*(?:(?:and|or)\s)?(?:how|what|whether|why|who|which)\b", re.IGNORECASE)
"""How a clause begins that is a part of what is asked for ("decide the price and how it may")."""
_WHICH_MAY = frozenset({"allowed", "permitted", "authorised", "authorized", "entitled"})
"""Without a verb, before "to": which thing or person is meant ("ports allowed to reach us")."""
_BARE = frozenset(
    {
        "required to",
        "obliged to",
        "obligated to",
        "required",
        "prohibited",
        "forbidden",
        "permitted",
    }
)
"""Participles, which without a verb only say which thing is meant ("uses prohibited by law")."""
_A_THING = re.compile(
    r"\s*(?:(?:and|or)\s)?(?:an?|the|any)\s(?:[\w'\u2019-]+\s){1,4}(?:they|you|we|it|he|she)\s*\Z",
    re.IGNORECASE,
)
_CONFIRMING = re.compile(
    r"\b(?:confirm|show|stat|say|prov|indicat|certify)ing\b[^,;]{0,60}\Z", re.IGNORECASE
)
"""Before what a paper says ("and a letter confirming the event is allowed")."""
_ASKED = re.compile(
    r"\b(?:why|how|(?:determin|decid|check|verif|assess|confirm|identif)\w* (?:if|whether|what"
    r"|which))\b[^;:.]{0,160}\Z",
    re.IGNORECASE,
)
"""Before a verb of what is to be told or found out ("say why the access is required")."""
_CARE = re.compile(
    r"\b(?:care|sure|ensures?|ensuring|certain|decides?|determines?|agrees?|considers?|believes?"
    r"|finds?) that\b",
    re.IGNORECASE,
)
"""Before what is to be seen to ("take care that the data cannot be read")."""
_FOR = re.compile(
    r"\W*(?:note:\s)?(?:for (?:all|any|each|every|those|the)|if|when|whenever|where|unless|before"
    r"|after|once|until|while|in the event|in (?:the )?cases?|provided)\b",
    re.IGNORECASE,
)
"""How a clause begins that says of what, or when, the rule after it is."""
_TO_KNOW = re.compile(
    r"\A\W*(?:in order )?to (?:determine|decide|see|check|verify|assess|know|ensure"
    r"|find out)\b[^,]*\Z",
    re.IGNORECASE,
)
"""Before a verb within what is to be found out ("to see if it is bad and requires a notice")."""
_OF_WHICH = re.compile(
    r"[a-z]\s(?:(?:you|we|they|he|she|it|i)(?:['\u2019](?:ve|ll|re|d|s)|\s(?:have|has|had|are|is"
    r"|will))?"
    r"|(?:your|our|their|the|an?)\s[\w-]+)\s*\Z",
    re.IGNORECASE,
)
"""Before a verb of a clause that no word marks ("the reason you", "the thing your readers")."""
_ADVERBS = 3
"""Words at most within a verb phrase."""
_JOINED = re.compile(r"[;:.]|\b(?:and|or|but|that|who|which|to|it|they|you|we)\b", re.IGNORECASE)


def without_brackets(text: str) -> str:
    """Return a text of the same length without remarks in brackets and commas in numbers."""
    return _IN_BRACKETS.sub(lambda found: "~" * len(found[0]), text)


def main_clauses(text: str) -> list[ModalClause]:
    """Return the main clauses with a modal expression, one for each verb phrase.

    A condition or relative clause alone makes no rule ("unless prohibited by law"); it belongs to
    the rule before it ("tests are required if code cannot be read").
    """
    kept: list[ModalClause] = []
    ahead: ModalClause | None = None
    inner: ModalClause | None = None
    for clause in modalities(text) if may_be_modal(text) else ():
        if clause.modality is Modality.NONE or clause.trigger is None:
            continue
        goes_on = inner is not None and _goes_on_at_once(text, inner, clause)
        inner = None
        if clause.is_subordinate or goes_on or _is_within(text, kept, clause):
            inner = clause
            if kept and kept[-1].span.char_end == clause.span.char_start:
                kept[-1] = _extended(kept[-1], clause)
            elif not kept and _FOR.match(text, clause.span.char_start):
                ahead = clause
        elif not kept and _says_which(text, clause.trigger):
            ahead = clause
        elif not _only_explains(text, clause, clause.trigger):
            _add(text, kept, clause if ahead is None else _after(ahead, clause))
            ahead = None
    return kept


def _says_which(text: str, trigger: TextSpan) -> bool:
    """Return whether a participle before the verb of a rule says of which things it is."""
    is_participle = trigger.of(text).casefold() in _WHICH_MAY
    return is_participle and trigger.char_start > 0 and text.startswith(" to ", trigger.char_end)


def _only_explains(text: str, clause: ModalClause, trigger: TextSpan) -> bool:
    """Return whether a clause gives a reason, or goes on with a condition."""
    ahead = text[clause.span.char_start : trigger.char_start]
    if _CAUSE.search(ahead) or _AS.search(ahead):
        return True
    if _TO_KNOW.match(text[: trigger.char_start]):
        return True
    start = clause.subject.char_start if clause.subject else trigger.char_start
    return _IF_WHO.match(text, start, trigger.char_start) is not None


def _add(text: str, kept: list[ModalClause], clause: ModalClause) -> None:
    """Add a clause, or put it together with the last one if both are one verb phrase."""
    before = kept[-1] if kept else None
    if before is None or not _goes_on(text, before, clause):
        kept.append(clause)
    elif clause.modality in FORBIDDING:
        # "should be prohibited"; "must not be prohibited" is left to a person.
        kept[-1:] = [] if before.modality in FORBIDDING else [clause]
    else:  # "may not allow anybody"
        kept[-1] = _extended(before, clause)


def _after(ahead: ModalClause, clause: ModalClause) -> ModalClause:
    """Return a clause together with what stands ahead and says of what it is."""
    whole = TextSpan(char_start=ahead.span.char_start, char_end=clause.span.char_end)
    return replace(clause, span=whole, subject=None)


def _extended(clause: ModalClause, by: ModalClause) -> ModalClause:
    """Return a clause together with what follows it."""
    whole = TextSpan(char_start=clause.span.char_start, char_end=by.span.char_end)
    return replace(clause, span=whole)


def _is_within(text: str, kept: Sequence[ModalClause], clause: ModalClause) -> bool:
    """Return whether a modal expression is that of a clause that only says which thing is meant.

    No word joins it to the rule before it ("begin with the thing your readers should remember"), or
    it is a part of what that asks for ("ensure that it cannot be read").
    """
    before = kept[-1] if kept else None
    if (
        clause.trigger is None
        or before is None
        or before.trigger is None
        or before.span.char_end != clause.span.char_start
    ):
        return False
    own = text[clause.span.char_start : clause.trigger.char_start]
    between = text[before.trigger.char_end : clause.trigger.char_start]
    return bool(
        clause.trigger.of(text).casefold() in _BARE
        or _A_THING.match(own)
        or _CONFIRMING.search(own)
        or _CARE.search(text, before.trigger.char_start, clause.trigger.char_start)
        or _THAT.match(own)
        or (
            clause.subject is not None
            and _OF_ANYTHING.match(clause.trigger.of(text))
            and _IN_A_CASE.search(between)
        )
        or _ASKS.match(own)
        or _ASKED.search(between)
        or (not own and len(between.split()) > _ADVERBS and _OF_WHICH.search(between))
    )


def _goes_on(text: str, before: ModalClause, clause: ModalClause) -> bool:
    """Return whether two modal expressions are one verb phrase ("may require")."""
    if before.trigger is None or clause.trigger is None:
        return False
    between = text[before.trigger.char_end : clause.trigger.char_start]
    return len(between.split()) <= _ADVERBS and _JOINED.search(between) is None


def _goes_on_at_once(text: str, before: ModalClause, clause: ModalClause) -> bool:
    """Return the same, where no comma parts them ("who should not feel discouraged")."""
    if before.trigger is None or clause.trigger is None:
        return False
    between = text[before.trigger.char_end : clause.trigger.char_start]
    return "," not in between and _goes_on(text, before, clause)
