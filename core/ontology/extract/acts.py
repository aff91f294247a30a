"""What a rule asks, and when, where its sentence is so plain that it has but one reading.

A rule is its sentence: that is stored, searched, shown and quoted. Act and condition only help
those who look for a rule, and are wrong more often than that there is one: of 58 wrong rules of
other people's documents 33 were wrong only in these parts (`docs/quality.md`). So no part is told
of a sentence with a second modal verb, a list or a remark.
"""

import re
from dataclasses import dataclass

from core.language.modality import FORBIDDING, ModalClause, may_be_modal, modalities

_LONGEST = 30
"""Words of a plain sentence."""
_NOT_PLAIN = re.compile(
    r"[^\w\s,.'\u2019%$\u20ac\u00a3-]|\s-\s|\.\s|\be\.?g\b|\bi\.?e\b", re.IGNORECASE
)
_COMMA = re.compile(r"(?<!\d),|,(?!\d)")
"""Not within a number."""
_SPOKEN_TO = re.compile(
    r"\A\W*(?:please|also|however|therefore|again|but|and|so)\b,?\s*", re.IGNORECASE
)
"""Before a rule, of which it is no part."""
_CASE = re.compile(
    r"\b(?:only )?(?:if|unless|provided that)\b|\bonly (?:with|by|for|to|in|on|within|under|as|when"
    r"|where|after|during|at)\b",
    re.IGNORECASE,
)
"""How a condition begins at the end of a sentence."""
_OPENS = re.compile(
    r"(?:if|when|whenever|where|unless|before|after|until|once|provided that|as long as|in case"
    r"|in the event|in (?:the )?cases? of)\b",
    re.IGNORECASE,
)
"""How a condition begins before its rule."""
_OPEN_CASE = re.compile(
    r"\b(?:when|whenever|where|wherever|before|after|until|once|while|because|as long as|except"
    r"|subject to|without|than|other)\b",
    re.IGNORECASE,
)
"""What may be a condition, or say which thing is meant ("the week when the event begins")."""
_WHETHER = re.compile(
    r"\b(?:decid|determin|indicat|check|verif|confirm|assess|ask|know|tell|evaluat|identif|find out"
    r"|see\b|say|consider|even)\w*\s+(?:\w+\s+){0,3}\Z",
    re.IGNORECASE,
)
"""Before "if" where it is no condition."""
_JOINS = re.compile(r"\b(?:and|or|but|nor|only)\b", re.IGNORECASE)
_MORE_THAN_A_SUBJECT = re.compile(
    r"\b(?:no|not|none|nobody|neither|nothing|nor|never|no-one|that|which|who|is|are|was|were|will"
    r"|has|have|do|does)\b|\b(?:and|or|but|then)\s*\Z",
    re.IGNORECASE,
)
"""A subject that denies, or has a verb or a clause of its own."""
_VERB = re.compile(
    r"(?:must|shall|should|may|can|do|will)(?:\s+(?:not|never)|n['\u2019]t)?|cannot|never"
    r"|(?:needs?|ha(?:s|ve))\s+to|(?:(?:is|are|be)\s+)?(?:not\s+)?(?:required|allowed|permitted"
    r"|prohibited(?!\s+from)|forbidden)(?:\s+to)?",
    re.IGNORECASE,
)
"""A modal expression that says nothing but its modality."""
_BE = re.compile(r"(?:\s|^)(?:is|are|be|was|were)\s*\Z", re.IGNORECASE)
_OPEN_BRACKET = re.compile(r"\((?=[^()]*$)")
"""A remark that has rules of its own: what stands before it is not their subject."""
_WORD = re.compile(r"\w")
_RELATIVE = re.compile(r"\b(?:that|which|who)\s*$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class RuleParts:
    """What a plain rule asks, and when."""

    action: str
    """The act, with its subject where that is not who is bound."""
    condition: str
    """In which case; empty if always."""


UNTOLD = RuleParts("", "")
"""Of a rule whose sentence is not plain."""


def subject_of(text: str, clause: ModalClause) -> str:
    """Return what stands before the modal expression of a clause, as its subject."""
    if clause.trigger is None:
        return ""
    subject = text[clause.span.char_start : clause.trigger.char_start]
    if clause.subject is not None:
        subject = clause.subject.of(text)
        if _RELATIVE.search(subject):  # "passwords that must be stored ... must be encrypted"
            subject = text[clause.subject.char_start : clause.trigger.char_start]
    opened = _OPEN_BRACKET.search(subject)
    if opened and not _WORD.search(subject, opened.end()):
        is_order = clause.trigger.of(text)[:3].casefold() in {"do ", "don", "not"}
        return "" if is_order else subject[: opened.start()]
    return subject[opened.end() :] if opened else subject


def parts_of(sentence: str, clause: ModalClause, *, has_actor: bool) -> RuleParts:
    """Return the parts of a rule that stands alone in a sentence, `UNTOLD` if it is not plain.

    Args:
        sentence: One sentence without markup.
        clause: Its clause.
        has_actor: Whether its subject is who it binds, and is told apart.
    """
    text = sentence.rstrip(" .")
    if clause.trigger is None:
        return UNTOLD
    trigger = clause.trigger.of(sentence)
    case, start = _opening_case(text)
    subject = sentence[start : clause.trigger.char_start]
    if (
        not _VERB.fullmatch(trigger)
        or _COMMA.search(text, start)
        or _MORE_THAN_A_SUBJECT.search(_BE.sub("", subject))
        or not _is_plain(text)
    ):
        return UNTOLD
    act = text[clause.trigger.char_end :]
    if clause.modality in FORBIDDING and _JOINS.search(act):
        return UNTOLD  # it may end before what is joined to it ("never leave and lock the door")
    act, later = (act, "") if case else _at_end(act)
    who = "" if has_actor else _BE.sub("", _SPOKEN_TO.sub("", subject, count=1))
    done = re.sub(r"^ *be ", "to be ", act) if who.strip() else act
    action = tidy(f"{who} {done}")
    return RuleParts(action, case or later) if action else UNTOLD


def _is_plain(text: str) -> bool:
    """Return whether a sentence has one rule, and neither remark, list nor second sentence."""
    return (
        len(text.split()) <= _LONGEST
        and _NOT_PLAIN.search(text) is None
        and may_be_modal(text)
        and len(modalities(text)) == 1
    )


def _opening_case(text: str) -> tuple[str, int]:
    """Return the condition before a rule, and where the rule begins."""
    first = _COMMA.search(text)
    if first is None or not _OPENS.match(text):
        return "", 0
    return text[: first.start()], first.end()


def _at_end(after: str) -> tuple[str, str]:
    """Return the act and the condition behind it, which stays with the act if it may be of less."""
    found = _CASE.search(after)
    if found is None:
        return after, ""
    ahead, case = after[: found.start()], after[found.start() :]
    is_unclear = (
        _JOINS.search(case, found.end() - found.start())
        or _CASE.search(after, found.end())
        or _OPEN_CASE.search(ahead)
        or _WHETHER.search(ahead)
        or _JOINS.search(ahead)
    )
    return (after, "") if is_unclear else (ahead, case)


def tidy(text: str) -> str:
    """Return words with single spaces, without the marks at their ends."""
    return " ".join(text.split()).strip(" ,;:.(")
