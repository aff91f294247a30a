"""What a sentence makes of an act: required, forbidden, allowed, advised, or left open.

- "May not" forbids and "need not" frees; "no employee may" forbids although "may" stands alone.
- A sentence with several modal verbs has several clauses; a list item takes that of its lead-in.
- A condition ("if it is required ...") does not decide the modality of its sentence.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from core.domain.content_words import content_words
from core.domain.policy import TextSpan
from core.domain.sentences import split_sentences


class Modality(StrEnum):
    """What a clause makes of an act."""

    MUST = "must"
    MUST_NOT = "must_not"
    MAY = "may"
    NEED_NOT = "need_not"
    SHOULD = "should"
    SHOULD_NOT = "should_not"
    NONE = "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class ModalClause:
    """A clause with its modality."""

    modality: Modality
    """What it makes of the act; NONE for a sentence without a modal expression."""
    span: TextSpan
    """The clause."""
    trigger: TextSpan | None
    """The words that say so; None if there are none."""
    subject: TextSpan | None = None
    """Where the subject stands if the clause shares that of an earlier one."""
    lead_in: TextSpan | None = None
    """For a list item: the sentence that introduces the list, with the trigger."""
    is_subordinate: bool = False
    """True for a condition or relative clause."""


_ADVERB = r"(?:\s+(?:\w+ly|also|always|generally|therefore|only|then|in\s+any\s+case))?"
_BE = r"(?:is|are|be|been|being|was|were|remain|remains)"
_FORBID = r"(?:prohibited|forbidden|banned|disallowed|barred)"
_ALLOW = r"(?:permitted|allowed|authori[sz]ed|entitled|acceptable|permissible)"
_OBLIGE = r"(?:required|obliged|obligated|mandatory|compulsory)"
_MODAL = r"(?:may|must|shall|can|will|should)"
_NONE_OF = (
    r"(?:no(?!\s+(?:longer|later|less|more|fewer|matter)\b)|neither|none\s+of|nobody|no\s+one"
    r"|not\s+a\s+single|under\s+no\s+circumstances)"
)

_PATTERNS: tuple[tuple[Modality, str], ...] = (
    (
        Modality.NEED_NOT,
        r"need\s+not|needn['\u2019]t|(?:do|does)(?:\s+not|n['\u2019]t)\s+(?:have|need)\s+to"
        rf"|not{_ADVERB}\s+(?:{_OBLIGE}|necessary|needed)|(?:no\s+need|no\s+obligation)\s+to"
        r"|(?:do|does)\s+not\s+require"
        rf"|\bno(?:\s+[\w-]+){{1,5}}?\s+(?:{_BE})\s+(?:required|needed|necessary)",
    ),
    (
        Modality.SHOULD_NOT,
        rf"should(?:{_ADVERB}\s+(?:not|never)|n['\u2019]t|\s+avoid)|ought\s+not"
        r"|not\s+(?:recommended|advisable|advised|encouraged|expected)|discouraged",
    ),
    (
        Modality.MUST_NOT,
        rf"(?:must|shall|may|can|will){_ADVERB}\s+(?:not|never|neither|under\s+no\s+circumstances"
        r"|in\s+no\s+(?:case|event))|cannot|(?:must|can|wo|sha)n['\u2019]t"
        rf"|{_NONE_OF}(?:\s+[\w'\u2019/-]+){{0,6}}?\s+{_MODAL}(?!\s+\d)"
        rf"|{_BE}(?:\s+\w+ly)?\s+{_FORBID}|{_FORBID}(?=\W*$|\s+(?:from|to|in|by|under|unless|without))"
        rf"|(?:not|never){_ADVERB}\s+{_ALLOW}|prohibits?|forbids?|prohibition\s+(?:on|of)"
        r"|(?:^|(?<=[:;,]\s))(?:do\s+not|don['\u2019]t)|never|refrain(?:s|ed)?\s+from"
        rf"|not\s+to\s+be|required\s+not\s+to",
    ),
    (
        Modality.MUST,
        r"must|shall|(?:has|have|having|had)\s+to|needs?\s+to"
        rf"|{_BE}(?:\s+\w+ly)?\s+{_OBLIGE}|(?<!as\s)(?<!if\s)(?:required|obliged|obligated)\s+to"
        r"|(?<!as\s)(?<!if\s)required(?=\W*$|\s+(?:for|before|if|unless|from|when|prior)\b)"
        r"|mandatory(?=\W*$|\s+(?:for|to)\b)|requires?(?!\s*ments?)"
        rf"|(?:is|are)\s+to\s+be",
    ),
    (
        Modality.SHOULD,
        r"should|ought\s+to|(?:is|are|be)(?:\s+\w+ly)?\s+(?:recommended|encouraged|advised|expected)"
        r"|recommended(?=\W*$|\s+(?:to|that)\b)|recommends?|expects?",
    ),
    (
        Modality.MAY,
        rf"(?!(?<=\d\s)(?-i:May)\b|(?-i:May)\s+\d)may|can|{_BE}(?:\s+\w+ly)?\s+{_ALLOW}|permitted(?=\W*$|\s+(?:to|for|if)\b)"
        r"|allowed(?=\W*$|\s+(?:to|for|if)\b)|permits?(?=\s+\w)|allows?|free\s+to",
    ),
)
_TRIGGER = re.compile(
    "|".join(rf"(?P<{name}>(?<![\w-])(?:{pattern})(?![\w-]))" for name, pattern in _PATTERNS),
    re.IGNORECASE,
)
_BREAK = re.compile(
    r"[;:,]\s|\s(?=(?:but|and|or|unless|if|when|where|provided|except|although|which|who|that|because"
    r"|until|before|while|whereas|without)\b)",
    re.IGNORECASE,
)
_SUBORDINATE = re.compile(
    r"\b(?:if|when|where|unless|although|though|while|whereas|because|until|before|after|once"
    r"|provided|except|as\s+soon\s+as|in\s+case|to\s+the\s+extent)\b"
    r"|\b(?:which|who|whom|whose|that)(?:\s+\w+){0,1}\s*$",
    re.IGNORECASE,
)
"""What makes a clause a subordinate one, after the last comma before its verb."""
_INVERTED = re.compile(r"\W*should\b(?![^?]*\?\W*$)", re.IGNORECASE)
_EMPHASIS = str.maketrans({"*": " ", "_": " "})
_ITEM = re.compile(
    r"\(?(?:[a-zA-Z]{1,2}|[ivxIVX]{1,5}|\d{1,3}(?:\.\d+)*)[.)]\s|[-*+\u2022\u00b7\u2013]\s"
)
_LEAD_IN = re.compile(r":[\s*_]*$")
KEPT = 8_192
"""Texts: the sentences of a few hundred sections."""


@lru_cache(maxsize=KEPT)
def modality(text: str) -> Modality:
    """Return the modality of a sentence: that of its main clause, NONE if it has none.

    Kept for the texts last read: a policy's sentences are read again for each question.
    """
    clauses = [clause for clause in modalities(text) if clause.modality is not Modality.NONE]
    main = [clause for clause in clauses if not clause.is_subordinate]
    return (main or clauses)[0].modality if clauses else Modality.NONE


def modalities(text: str) -> tuple[ModalClause, ...]:
    """Return the clauses of `text` in order; a sentence without a modal verb is one clause."""
    clauses: list[ModalClause] = []
    lead_in: ModalClause | None = None
    for unit in split_sentences(text):
        own = list(_clauses(text, unit))
        item = _ITEM.match(unit.of(text))
        is_item = item is not None
        if item and lead_in and _style(item[0]) == _style(lead_in.span.of(text)):
            lead_in = None
        if is_item and lead_in is not None and own[0].modality is Modality.NONE:
            own = [
                ModalClause(
                    modality=lead_in.modality,
                    span=unit,
                    trigger=lead_in.trigger,
                    lead_in=lead_in.span,
                )
            ]
        elif _LEAD_IN.search(unit.of(text)):
            lead_in = own[-1] if own[-1].modality is not Modality.NONE else None
        elif not is_item:
            lead_in = None
        clauses.extend(own)
    return tuple(clauses)


def _style(raw: str) -> str:
    """Return the style of an item's marker: items of one style are not under each other."""
    item = _ITEM.match(raw)
    return re.sub(r"[A-Za-z]+", "a", re.sub(r"\d+", "1", item[0].strip())) if item else ""


def _clauses(text: str, unit: TextSpan) -> Iterator[ModalClause]:
    """Yield the clauses of one unit; together they cover it."""
    open_text = unit.of(text).translate(_EMPHASIS)
    triggers = [
        match for match in _TRIGGER.finditer(open_text) if not _is_inverted(open_text, match)
    ]
    if not triggers:
        yield ModalClause(modality=Modality.NONE, span=unit, trigger=None)
        return
    start = 0
    subject: TextSpan | None = None
    for trigger, following in zip(triggers, [*triggers[1:], None], strict=True):
        end = len(open_text) if following is None else _boundary(open_text, trigger, following)
        before = open_text[start : trigger.start()]
        own_subject = re.search(r"\w", _BREAK_WORDS.sub("", before)) is not None
        yield ModalClause(
            modality=Modality(str(trigger.lastgroup)),
            span=_span(unit, start, end),
            trigger=_span(unit, trigger.start(), trigger.end()),
            subject=None if own_subject else subject,
            is_subordinate=_SUBORDINATE.search(_after_comma(before)) is not None,
        )
        if own_subject:
            subject = _span(unit, start, trigger.start())
        start = end


_BREAK_WORDS = re.compile(r"\b(?:but|and|or|also|then|it|they|he|she|this|these)\b", re.IGNORECASE)


def _after_comma(before: str) -> str:
    return before.rstrip(" ,").rpartition(",")[2]


def _is_inverted(sentence: str, trigger: re.Match[str]) -> bool:
    """Say whether "should" only opens a condition ("Should you be offered cash, ...")."""
    return _INVERTED.match(sentence) is not None and trigger.end() <= len("should ") + (
        len(sentence) - len(sentence.lstrip())
    )


def _boundary(sentence: str, trigger: re.Match[str], following: re.Match[str]) -> int:
    """Return where the clause of `trigger` ends, at the latest where `following` begins."""
    breaks = [match.end() for match in _BREAK.finditer(sentence, trigger.end(), following.start())]
    return breaks[-1] if breaks else following.start()


def _span(unit: TextSpan, start: int, end: int) -> TextSpan:
    return TextSpan(char_start=unit.char_start + start, char_end=unit.char_start + end)


_LEAST_OVERLAP = 1 / 3
_NEGATION = re.compile(
    r"\b(?:not|no|never|neither|nor|none|nobody|cannot|without)\b|n['\u2019]t\b", re.IGNORECASE
)
_ANSWER = re.compile(r"(?<!\s)\s*+(?:yes|no)\s*+[,.:;!\u2013\u2014-]\s*+", re.IGNORECASE)
_CONDITION = re.compile(
    r"\b(?:unless|without|only\s+(?:if|when|with|after)|subject\s+to)\b", re.IGNORECASE
)
_CONSENT = re.compile(
    r"\b(?:approv|consent|authori[sz]|permission|agree|notif|disclos|sign)", re.IGNORECASE
)
_ASKS_CONSENT = re.compile(
    r"\b(?:must|shall|(?:has|have|needs?|required)\s+to)\s+(?:\w+\s+){0,3}?"
    r"(?:approv|authori[sz]|consent|agree|sign|obtain|seek|request|ask|notif|disclos|inform)"
    r"|\b(?:approval|consent|authori[sz]ation|permission|agreement)\b[^.]{0,60}"
    r"\b(?:required|needed|necessary)\b"
    r"|\brequires?\s[^.]{0,60}\b(?:approval|consent|authori[sz]ation|permission)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class _Stated:
    """What one clause says, for comparison."""

    modality: Modality
    words: frozenset[str]
    is_negated: bool
    text: str


def modality_kept(claim: str, sources: Sequence[str]) -> str | None:
    """Say why `claim` changes the modality of its sources, or None if it keeps it.

    Each clause of the claim is held to the source clause nearest in content words. A requirement
    may be read from a condition ("must not ... unless X has approved it": X must approve it).
    A claim that stands in a source from the start of a sentence is kept; a fragment that leaves
    the negation behind is not. A lead-in and its item may be two sources, in this order.
    """
    claim = _without(_ANSWER, claim)
    if not claim.strip() or any(_is_verbatim(claim, source) for source in sources):
        return None
    stated = [clause for text in (*sources, "\n".join(sources)) for clause in _stated(text)]
    implied = [clause for source in sources for clause in _implied(source)]
    for clause in _stated(claim):
        reason = _difference(clause, stated, implied)
        if reason is not None:
            return reason
    return None


def _folded(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold()))


def _is_verbatim(claim: str, source: str) -> bool:
    """Say whether the claim is in the source and starts where a sentence of it starts."""
    wanted = f"{_folded(claim)} "
    reach = 2 * len(claim) + 40
    for unit in split_sentences(source):
        start = source[unit.char_start : unit.char_start + reach]
        if any(f"{_folded(s)} ".startswith(wanted) for s in (start, _without(_ITEM, start))):
            return True
    return False


def _without(opening: re.Pattern[str], text: str) -> str:
    """Return `text` without the `opening` it may begin with."""
    match = opening.match(text)
    return text[match.end() :] if match else text


def _stated(text: str) -> list[_Stated]:
    """Return what each clause says, with the subject or lead-in it shares."""
    found: list[_Stated] = []
    for clause in modalities(text):
        shared = clause.lead_in or clause.subject
        words = content_words(clause.span.of(text)) | content_words(
            shared.of(text) if shared else ""
        )
        if words:
            said = clause.span.of(text)
            is_negated = _NEGATION.search(said) is not None
            found.append(_Stated(clause.modality, words, is_negated, " ".join(said.split())))
    return found


def _implied(text: str) -> list[_Stated]:
    """Return the requirements that lie in conditions of prohibitions and permissions."""
    found: list[_Stated] = []
    for unit in split_sentences(text):
        sentence = unit.of(text)
        condition = _CONDITION.search(sentence)
        is_free = modality(sentence) in {Modality.MAY, Modality.NEED_NOT}
        if is_free and condition and condition[0].casefold() == "without":
            continue
        if condition and _CONSENT.search(sentence, condition.end()):
            words = content_words(sentence)
            found.append(_Stated(Modality.MUST, words, is_negated=False, text=sentence))
    return found


def _difference(
    clause: _Stated, stated: Sequence[_Stated], implied: Sequence[_Stated]
) -> str | None:
    """Say how a clause of the claim differs from the nearest clauses of the sources."""
    if clause.modality is Modality.NONE:
        nearest = _nearest(clause, stated)
        if nearest and all(clause.is_negated != other.is_negated for other in nearest):
            return f"negation changed: source says {nearest[0].text!r}"
        return None
    nearest = _nearest(clause, stated)
    if any(other.modality is clause.modality for other in nearest):
        return None
    is_consent = clause.modality is Modality.MUST and _ASKS_CONSENT.search(clause.text)
    if is_consent and any(_share(clause, other) >= 2 * _LEAST_OVERLAP for other in implied):
        return None
    if not nearest:
        return f"no source says whether {clause.text!r} {clause.modality.value}"
    other = nearest[0]
    return f"claim says {clause.modality.value}, source says {other.modality.value}: {other.text!r}"


def _share(clause: _Stated, other: _Stated) -> float:
    """Return the share of the claim's words that the other clause has."""
    return len(clause.words & other.words) / len(clause.words)


def _nearest(clause: _Stated, stated: Sequence[_Stated]) -> list[_Stated]:
    """Return the clauses that share most with a clause of the claim, and enough."""

    def rank(other: _Stated) -> tuple[float, float]:
        common = len(clause.words & other.words)
        return (round(_share(clause, other), 6), common / len(clause.words | other.words))

    near = [other for other in stated if _share(clause, other) >= _LEAST_OVERLAP]
    best = max(map(rank, near), default=None)
    return [other for other in near if rank(other) == best]
