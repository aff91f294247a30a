"""What a sentence makes of an act: required, forbidden, allowed, advised, or left open.

- "May not" forbids and "need not" frees; "no employee may" forbids although "may" stands alone.
- A sentence with several modal verbs has several clauses; a list item takes that of its lead-in.
- A condition ("if it is required ...") does not decide the modality of its sentence.
- An odd number of negations turns a sentence round, an even one does not: "must not be ignored".
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from core.expressions import expression
from core.language.sentences import split_sentences
from core.language.spans import TextSpan
from core.language.text_cache import cached_by_text, words_of

_NEGATION = expression(
    r"\b(?:(?<!\bif\s)not(?!\s+(?:only|limited|enough|sufficient|later|more|less|fewer|exceeding|longer|greater|above)\b)"
    r"|no(?!\s+(?:later|more|less|fewer|matter|longer\s+than)\b)|never|neither|none|nobody|nothing"
    r"|cannot|unless|without|except(?:\s+(?:if|when|where|for|with|in))?|prohibit\w*|forbid\w*"
    r"|avoid\w*|refrain\w*|declin\w*|refus\w*|unable|unacceptable|discourag\w*|exempt\w*"
    r"|ignor\w*|off[\s-]limits|barred)\b|n['\u2019]t\b",
    re.IGNORECASE,
)
OF_SOMEBODY = expression(
    r"\bwho\s(?:\w+\s){0,2}?(?:not|never|cannot|\w+n['\u2019]t)\b", re.IGNORECASE
)
"""A negation that says of whom or what is spoken, and denies nothing of it."""
_UNDENYING = expression(
    rf"{OF_SOMEBODY.pattern}|\b(?:nobody|no\s+one|none|nothing|no\s+(?!choice)\w+)\s+(?:but|other\s+than)\b"
    r"|\b(?:is|are|was|were)(?:\s+not|n['\u2019]t)\s+(?:[\w'\u2019-]+\s+){1,6}?but\b"
    r"(?!\s+(?:may|must|can|they|you|it|we)\b)",
    re.IGNORECASE,
)
"""The same, and what is said of others ("nobody but the owner", "not the owner but the tenant")."""
NEGLECT = expression(
    r"\b(?:skip|miss|wait|delay|postpon|neglect|ignor|omit|discard|delet|destroy|forg[eo]t|fail"
    r"|conflict|violat|bypass|withh[eo]ld|refus|excus|exempt|barr|overlook|hid|abandon|circumvent)"
    r"(?:p|t)?(?:e|s|es|ed|d|en|ten|ing)?\b"
    r"|\bsit\s+on\b|\bleft\s+(?:out|open|to)\b|\bleave\s+out\b|\bgo(?:es)?\s+(?:without|un\w+)",
    re.IGNORECASE,
)
"""Not to do one of these is to do what a duty says: "must not be skipped", "may not wait"."""


def is_negated(text: str) -> bool:
    """Say whether a text has an odd number of negations."""
    return negations(text) % 2 == 1


def negations(text: str) -> int:
    """Count what denies in a text, but for what says of whom it speaks."""
    return len(_NEGATION.findall(_UNDENYING.sub(" ", text)))


class Modality(StrEnum):
    """What a clause makes of an act."""

    MUST = "must"
    MUST_NOT = "must_not"
    MAY = "may"
    NEED_NOT = "need_not"
    SHOULD = "should"
    SHOULD_NOT = "should_not"
    NONE = "none"


FORBIDDING = frozenset({Modality.MUST_NOT, Modality.SHOULD_NOT})


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
_ALLOW = r"(?:permitted|allowed|authori[sz]ed|entitled|acceptable|permissible|ok(?:ay)?)"
_TOLERATE = r"(?:allow|permit|tolerate|condone|authori[sz]e|accept(?=\s+\w+ing\b))"
_NOT = r"(?:not|never|\w+n['\u2019]t)"
_OBLIGE = r"(?:required|obliged|obligated|mandatory|compulsory)"
_MODAL = r"(?:may|must|shall|can|will|should)"
_PRONOUN = r"(?:you|we|they|i|he|she|it|that|which|who)\b"
"""What opens a relative clause: "no amount that you may accrue" forbids nothing."""
_N_T = r"(?:\s+not|n['\u2019]t)"
_NONE_OF = (
    r"(?:no(?!\s+(?:longer|later|less|more|fewer|matter)\b)|neither|none\s+of|nobody|no\s+one"
    r"|not\s+a\s+single|under\s+no\s+circumstances)"
)

_PATTERNS: tuple[tuple[Modality, str], ...] = (
    (
        Modality.NEED_NOT,
        rf"need\s+not|needn['\u2019]t|(?:do|does|will){_N_T}(?:\s+\w+ly)?\s+(?:have\s+to|need)"
        rf"|{_NOT}{_ADVERB}(?:\s+be)?\s+(?:{_OBLIGE}|necessary|needed)"
        r"|no\s+(?:\w+\s+)?(?:need|obligation|requirement)\s+(?:to|for)"
        rf"|(?:must|shall|will|may|should)\s+not\s+be\s+{_OBLIGE}"
        rf"|(?:do|does|will){_N_T}\s+require|{_BE}\s+(?:\w+ly\s+)?(?:optional|voluntary)"
        rf"|\bno(?:\s+[\w-]+){{1,5}}?\s+(?:{_BE})\s+(?:required|needed|necessary)"
        rf"|(?:{_NONE_OF}|nothing)(?:\s+(?!{_PRONOUN})[\w'\u2019/-]+){{0,6}}?\s+(?:has|have|needs?)\s+to"
        rf"|(?:do|does){_N_T}\s+(?:\w+ly\s+)?expect(?=\s+(?:[\w'\u2019-]+\s+){{1,5}}?to\b)",
    ),
    (
        Modality.SHOULD_NOT,
        rf"should(?:{_ADVERB}\s+(?:not|never)|n['\u2019]t|\s+avoid)|ought\s+not"
        r"|not\s+(?:recommended|advisable|advised|encouraged|expected)|discouraged",
    ),
    (
        Modality.MUST_NOT,
        rf"(?:must|shall|may|can|will){_ADVERB}\s+(?:not|never|neither|under\s+no\s+circumstances"
        r"|in\s+no\s+(?:case|event))|cannot|(?:must|wo|sha)n['\u2019]t"
        r"|can\s*+['\u2019]t"
        rf"|{_NONE_OF}(?:\s+(?!{_PRONOUN})[\w'\u2019/-]+){{0,6}}?\s+{_MODAL}(?!\s+\d)"
        rf"|{_NONE_OF}(?:\s+[\w'\u2019/-]+){{1,12}}?\s+{_BE}\s+{_ALLOW}"
        rf"|{_NONE_OF}(?:\s+(?!{_PRONOUN})[\w'\u2019/-]+){{0,6}}?\s+(?:permits|allows|tolerates)"
        rf"|off[\s-]limits|none\s+{_ALLOW}|{_BE}(?:\s+\w+ly)?\s+{_FORBID}|{_FORBID}(?=\W*$|\s+(?:from|to|in|by|under|unless|without))"
        rf"|{_NOT}{_ADVERB}\s+{_ALLOW}|prohibits?|forbids?|prohibition\s+(?:on|of)"
        rf"|(?:do|does|will){_N_T}\s+{_TOLERATE}|unacceptable(?!\s+\w+s\b)|impermissible"
        r"|against\s+(?:\w+['\u2019\s]+){0,3}polic(?:y|ies)"
        rf"|(?:^\s*|(?<=[:;,(]\s)|(?<=\())(?:please\s+)?do{_N_T}"
        r"|never|refrain(?:s|ed)?\s+from"
        rf"|not\s+to\s+be|required\s+not\s+to",
    ),
    (
        Modality.MUST,
        r"must|shall|(?:has|have|having|had)\s+to|needs?\s+to(?!\s+know\b)"
        rf"|{_BE}(?:\s+\w+ly)?\s+{_OBLIGE}|(?<!as\s)(?<!if\s)(?:required|obliged|obligated)\s+to"
        r"|(?<!as\s)(?<!if\s)required(?=\W*$|\s+(?:for|before|if|unless|from|when|prior)\b)"
        r"|mandatory(?=\W*$|\s+(?:for|to)\b)|(?<!no\slonger\s)requires?(?!\s*ments?)"
        r"|(?<!no\slonger\s)needs?(?=\s+(?:an?|the|your|their|his|her|its|our|prior|written|approval|permission"
        rf"|consent|review)\b)|{_BE}\s+(?:\w+ly\s+)?responsible\s+for"
        rf"|(?:is|are)\s+to\s+be|no\s+(?:choice|option)\s+but\s+to",
    ),
    (
        Modality.SHOULD,
        r"should|ought\s+to|(?:is|are|be)(?:\s+\w+ly)?\s+(?:recommended|encouraged|advised|expected)"
        r"|recommended(?=\W*$|\s+(?:to|that)\b)|recommends?"
        r"|expects?(?=\s+(?:(?:[\w'\u2019-]+\s+){1,5}?to|that)\b)",
    ),
    (
        Modality.MAY,
        rf"{_NOT}\s+{_FORBID}|(?:do|does|did|will){_N_T}(?:\s+\w+ly)?\s+(?:prohibit|forbid|ban|bar"
        rf"|preclude)|(?:(?!(?<=\d\s)(?-i:May)\b|(?-i:May)\s+\d)may|can)(?:\s+be\s+(?:\w+ly\s+)?(?:required|needed|asked))?"
        rf"|(?:is|are|was|were|been|remains?)(?:\s+\w+ly)?\s+{_ALLOW}|permitted(?=\W*$|\s+(?:to|for|if)\b)"
        r"|allowed(?=\W*$|\s+(?:to|for|if)\b)|permits?(?=\s+\w)|allows?|free\s+to"
        rf"|(?<!must\s)(?<!shall\s)(?<!should\s)(?<!to\s){_BE}\s+(?:able|welcome)\s+to",
    ),
)
_TRIGGER = expression(
    "|".join(rf"(?P<{name}>(?<![\w-])(?:{pattern})(?![\w-]))" for name, pattern in _PATTERNS),
    re.IGNORECASE,
)


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_WORD = expression(r"(?<![\w-])\w++(?=(?P<contracted>['\u2019][tT]\b)?)|\A\s")
_FIRST_WORDS = _words(
    "need needn do does did will not never no is are be been being was were remain remains"
    " none nobody neither nothing under should ought discouraged must shall may can cannot won"
    " wo shan sha off prohibited forbidden banned disallowed barred prohibits prohibit forbids"
    " forbid prohibition unacceptable impermissible against please refrain refrains refrained"
    " has have having had needs required obliged obligated mandatory requires require"
    " recommended recommends recommend expects expect permitted permits permit allowed allows"
    " allow free"
)
"""Words that a trigger begins with, beside those with "n't". The pattern is tried at these alone:
it is slow to find nothing."""
_SAYING_SO = _words(
    "may must shall can cannot should ought need needs needn needed necessary optional voluntary"
    " obligation not never no none nobody neither nothing t recommended advisable advised"
    " encouraged expected discouraged recommend recommends expect expects permit permits permitted"
    " allow allows allowed authorised authorized entitled acceptable permissible ok okay tolerates"
    " prohibited forbidden banned disallowed barred prohibit prohibits forbid forbids prohibition"
    " unacceptable impermissible limits policy policies refrain refrains refrained require requires"
    " required requirement obliged obligated mandatory compulsory responsible free able welcome"
)
"""Words of which each trigger has one, but for "have to" and "is to be": most sentences without a
modal expression have none, although "is" and "have", with which one may begin, are in most."""
_HAVING = _words("has have having had be")
_BREAK = expression(
    r"[;:,)]\s|\s(?=\(|(?:but|and|or|unless|if|when|where|provided|except|although|which|who|that|because"
    r"|until|before|while|whereas|without)\b)",
    re.IGNORECASE,
)
_LISTED = expression(
    r"(?:and|or)\s(?:the|an?|any|all|your|their|our|its|each)(?:\s[\w'\u2019-]+){1,3}\s",
    re.IGNORECASE,
)
"""Between two breaks, where the second only goes on with what the first begins: the subject of the
next verb ("and the number and the code must")."""
_SUBORDINATE = expression(
    r"\b(?:if|when|where|unless|assuming|although|though|while|whereas|because|until|before|after|once"
    r"|provided|except|as\s+(?:\w+\s+){1,3}as|in\s+case|to\s+the\s+extent)\b"
    r"|\b(?:which|who|whom|whose|that)(?:\s+\w+){0,1}\s*$",
    re.IGNORECASE,
)
"""What makes a clause a subordinate one, after the last comma before its verb."""
_ORDERS = expression(rf"(?<=,\s)(?:please\s+)?do{_N_T}\b", re.IGNORECASE)
"""After a comma an order is a main clause ("if you are ill, do not travel")."""
_INVERTED = expression(r"\W*should\b(?![^?]*\?\W*$)", re.IGNORECASE)
_ALTERNATIVE = expression(
    r"\b(?:not|never|n['\u2019]t)\s+\w+(?:,\s\w+){0,5},?\s+or\s+(?:allow|permit)$", re.IGNORECASE
)
"""A second verb under one negation: "do not stop or allow"."""
_REACH = 80
"""Characters before such a verb that are read."""
_EMPHASIS = str.maketrans({"*": " ", "_": " "})
LIST_ITEM = expression(
    r"\(?(?:[a-zA-Z]{1,2}|[ivxIVX]{1,5}|\d{1,3}(?:\.\d+)*)[.)]\s|[-*+\u2022\u00b7\u2013]\s"
)
LEAD_IN = expression(r":[\s*_]*$")
_UNDER = expression(
    r"\b(?:may|can|allowed|permitted)\b.{0,200}\b(?:conditions|requirements|rules|process)\b",
    re.IGNORECASE | re.DOTALL,
)
"""A permission under conditions: the items are those, and not what is permitted."""


def may_be_modal(text: str) -> bool:
    """Say whether a text has a word that a modal expression needs; False: it has no modality."""
    said = words_of(text.replace("_", " "))
    return not _SAYING_SO.isdisjoint(said) or ("to" in said and not _HAVING.isdisjoint(said))


@cached_by_text()
def modality(text: str) -> Modality:
    """Return the modality of a sentence: that of its main clause, NONE if it has none."""
    clauses = [clause for clause in modalities(text) if clause.modality is not Modality.NONE]
    main = [clause for clause in clauses if not clause.is_subordinate]
    return (main or clauses)[0].modality if clauses else Modality.NONE


@cached_by_text()
def modalities(text: str) -> tuple[ModalClause, ...]:
    """Return the clauses of `text` in order; a sentence without a modal verb is one clause."""
    if not may_be_modal(text):
        return tuple(
            ModalClause(modality=Modality.NONE, span=unit, trigger=None)
            for unit in split_sentences(text)
        )
    clauses: list[ModalClause] = []
    lead_in: ModalClause | None = None
    for unit in split_sentences(text):
        own = list(_clauses(text, unit))
        item = LIST_ITEM.match(unit.of(text))
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
        elif LEAD_IN.search(unit.of(text)):
            is_open = own[-1].modality is Modality.NONE or _UNDER.search(unit.of(text))
            lead_in = None if is_open else own[-1]
        elif not is_item:
            lead_in = None
        clauses.extend(own)
    return tuple(clauses)


def _style(raw: str) -> str:
    """Return the style of an item's marker: items of one style are not under each other."""
    item = LIST_ITEM.match(raw)
    return re.sub(r"[A-Za-z]+", "a", re.sub(r"\d+", "1", item[0].strip())) if item else ""


def _clauses(text: str, unit: TextSpan) -> Iterator[ModalClause]:
    """Yield the clauses of one unit; together they cover it."""
    open_text = _without_marker(unit.of(text).translate(_EMPHASIS))
    triggers = [
        match
        for match in _triggers(open_text)
        if not _is_inverted(open_text, match) and not _is_alternative(open_text, match)
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
            is_subordinate=not _ORDERS.match(open_text, trigger.start())
            and _SUBORDINATE.search(_after_comma(before)) is not None,
        )
        if own_subject:
            subject = _span(unit, start, trigger.start())
        start = end


def _triggers(text: str) -> Iterator[re.Match[str]]:
    """Yield the matches of `_TRIGGER`, in order, none inside another."""
    if not may_be_modal(text):
        return
    end = 0
    for word in _WORD.finditer(text):
        said = word[0]
        if not (
            said.casefold() in _FIRST_WORDS
            or (said[-1] in "nN" and word["contracted"])
            or said.isspace()
        ):
            continue
        if word.start() < end:
            continue
        found = _TRIGGER.match(text, word.start())
        if found is not None:
            end = found.end()
            yield found


def _without_marker(sentence: str) -> str:
    """Return a list item with blanks for its marker, so that an order is seen to open it."""
    marker = LIST_ITEM.match(sentence)
    return " " * marker.end() + sentence[marker.end() :] if marker else sentence


_BREAK_WORDS = expression(r"\b(?:but|and|or|also|then|it|they|he|she|this|these)\b", re.IGNORECASE)


def _after_comma(before: str) -> str:
    """Return what stands after the last comma, or after "then" ("if it is lost then it must")."""
    return before.rstrip(" ,").rpartition(",")[2].rpartition(" then ")[2]


def _is_inverted(sentence: str, trigger: re.Match[str]) -> bool:
    """Say whether "should" only opens a condition ("Should you be offered cash, ...")."""
    return _INVERTED.match(sentence) is not None and trigger.end() <= len("should ") + (
        len(sentence) - len(sentence.lstrip())
    )


def _is_alternative(sentence: str, trigger: re.Match[str]) -> bool:
    """Say whether a trigger is a second verb under one negation."""
    return _ALTERNATIVE.search(sentence[: trigger.end()][-_REACH:]) is not None


def _boundary(sentence: str, trigger: re.Match[str], following: re.Match[str]) -> int:
    """Return where the clause of `trigger` ends, at the latest where `following` begins."""
    breaks = [match.end() for match in _BREAK.finditer(sentence, trigger.end(), following.start())]
    while len(breaks) > 1 and _LISTED.fullmatch(sentence, breaks[-2], breaks[-1]):
        breaks.pop()
    return breaks[-1] if breaks else following.start()


def _span(unit: TextSpan, start: int, end: int) -> TextSpan:
    return TextSpan(char_start=unit.char_start + start, char_end=unit.char_start + end)
