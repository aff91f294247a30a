"""The main clauses of a statement: those that make a rule, one for each verb phrase."""

import re
from dataclasses import replace

from core.language.modality import ModalClause, Modality, modalities
from core.language.spans import TextSpan

FRONTED = re.compile(
    r"^(?:if|when|whenever|where|unless|before|after|until|once|provided that|in case|upon|during"
    r"|throughout|prior to|following|as long as"
    r"|from|in the event|should)\b[^,]*(?:(?:, [^,]{1,40}){0,5}, (?:or|and) [^,]*)?(?:,|$)",
    re.IGNORECASE,
)
_IN_BRACKETS = re.compile(r"\([^()]{1,80}\)|(?<=\d),(?=\d)")
"""A remark on one word ("the status (if applicable)"), and no condition of the whole; and the comma
of a number, which parts nothing."""
_IF_WHO = re.compile(r"(?:if|when|whenever|where|unless|while|once)\b[^,]*\Z", re.IGNORECASE)
"""The subject of a condition that a second verb shares ("if you travel and need to pay")."""
_FORBIDDING = frozenset({Modality.MUST_NOT, Modality.SHOULD_NOT})
_ADVERBS = 3
"""Words at most within a verb phrase."""
_JOINED = re.compile(r"[;:.]|\b(?:and|or|but|that|who|which|to|it|they|you|we)\b", re.IGNORECASE)


def without_brackets(text: str) -> str:
    """Return a text of the same length without remarks in brackets and commas in numbers."""
    return _IN_BRACKETS.sub(lambda found: "~" * len(found[0]), text)


def main_clauses(text: str) -> list[ModalClause]:
    """Return the main clauses with a modal expression, one for each verb phrase.

    A condition or relative clause alone makes no rule ("unless prohibited by law").
    """
    kept: list[ModalClause] = []
    for clause in modalities(text):
        if clause.modality is Modality.NONE or clause.is_subordinate or clause.trigger is None:
            continue
        start = clause.subject.char_start if clause.subject else clause.trigger.char_start
        if _IF_WHO.match(text, start, clause.trigger.char_start):
            continue
        before = kept[-1] if kept else None
        if before is None or not _goes_on(text, before, clause):
            kept.append(clause)
        elif clause.modality in _FORBIDDING:
            # "should be prohibited"; "must not be prohibited" is left to a person.
            kept[-1:] = [] if before.modality in _FORBIDDING else [clause]
        else:  # "may not allow anybody"
            whole = TextSpan(char_start=before.span.char_start, char_end=clause.span.char_end)
            kept[-1] = replace(before, span=whole)
    return kept


def _goes_on(text: str, before: ModalClause, clause: ModalClause) -> bool:
    """Return whether two modal expressions are one verb phrase ("may require")."""
    if before.trigger is None or clause.trigger is None:
        return False
    between = text[before.trigger.char_end : clause.trigger.char_start]
    return len(between.split()) <= _ADVERBS and _JOINED.search(between) is None
