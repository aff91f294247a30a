"""After `verify`: the rule first ("Not allowed.", "Yes, up to EUR 35.", "Within 72 hours.").

A verdict is a claim like any other: it cites what the first verified claim cites, its polarity
follows from the modality of the quoted sentence, and its figure stands in the quote with its unit
and its bound, word for word. Where question or sentence have a condition, an exception or a second
figure that could make a difference, there is none.

Held against the best sentence for each of 5,986 answerable questions about 157 policies that others
wrote, it rules on 27 of 703 plain yes-or-no questions and gives a figure to 33 of 264 that want
one. All 60 were read: none is wrong, one is open to dispute ("Do I have to sign the handbook?",
where an agreement to abide by it has to be signed).
"""

import re
from collections.abc import Sequence

from core.agent.prose import lead_ins_of
from core.domain.answer import Claim
from core.domain.bounds import Bound, Bounded, bounds
from core.domain.content_words import content_words
from core.domain.jurisdictions import jurisdictions_in
from core.domain.modality import Modality, modalities
from core.domain.ontology import SectionRef
from core.domain.phrasing import sentence
from core.domain.quantities import quantities
from core.domain.yes_or_no import (
    Asked,
    Polarity,
    asked_of,
    covers,
    needs_approval,
    polarity,
    ruled,
    said,
)

_OPENING = r"(?:\W{0,5}(?:hi|hello|hey|ok|so|and|but|please|sorry)\b\W{0,5}){0,2}"
_FIGURES: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (kind, re.compile(_OPENING + pattern, re.IGNORECASE))
    for kind, pattern in (
        (
            "duration",
            r"(?:for\s|after\s|within\s)?(?:how\s(?:long|soon|quickly|fast|early"
            r"|many\s(?:business\s|working\s|calendar\s)?(?:minutes|hours|days|weeks|months|years))"
            r"|by\swhen|until\swhen|what(?:['\u2019]s|\sis)\sthe\s(?:deadline|time\slimit|notice"
            r"|retention\speriod)|deadline)\b",
        ),
        (
            "amount",
            r"(?:up\sto\s|above\s|from\s)?(?:how\smuch\b(?!\s(?:time|notice|leave|vacation|pto))"
            r"|what\samount|what(?:['\u2019]s|\sis)\sthe\s(?:[\w-]+\s){0,3}?"
            r"(?:limit|budget|cap|allowance|maximum|rate|price|fee))\b",
        ),
        ("percentage", r"(?:what|which|how\smuch)\s(?:percent|percentage|share|proportion)\b"),
    )
)
"""The kind of quantity that a question asks for, and how such a question begins."""
_CONDITIONAL = re.compile(
    r"\b(?:unless|except|excluding|if|when|where|whether|provided|depending|otherwise|or\s(?:more|less)"
    r"|as\slong|in\scase|generally|usually|normally|typically|about|around|approximately|example"
    r"|some|certain|may\svary|varies|additional|first|second|another|barring|half|third|quarter|double|twice)\b|e\.g\.",
    re.IGNORECASE,
)
"""What may hold under a condition, or not exactly."""
_EXEMPTS = re.compile(
    r"\b(?:exempt(?:s|ed|ions?)?|(?<!no\s)exceptions?|except|unless|however|only\s(?:if|when|with))\b",
    re.IGNORECASE,
)
"""How another sentence takes something out of a rule."""
_BEFORE = re.compile(
    r"(?<![\w-])((?:within|up\sto|at\sleast|at\smost|no\s(?:more|less|later|longer|fewer)\sthan"
    r"|not\s(?:more|less)\sthan|not\sexceeding|(?:a\s)?(?:maximum|minimum)\sof|more\sthan"
    r"|less\sthan|over|under|above|below|after|before|for|every|by|until|for\sup\sto"
    r"|for\sat\sleast)(?:\s(?:an?|the|every))?)\s$",
    re.IGNORECASE,
)
_AFTER = re.compile(
    r"\s?((?:per|a|an|each|every)\s[a-z]+(?:\s[a-z]+)?(?=\W{0,3}$|\s(?:for|in|to|and)\b|[.,;:)])"
    r"|(?:in\sadvance|prior\snotice|notice)\b|/\s?[a-z]+)",
    re.IGNORECASE,
)
_TURNING = re.compile(r"\s?(?:(?:or|and|to)\b|-|\u2013|before|prior|after|ago|old|of\sage|later)")
"""What behind a figure says something else with it, which a short answer must not leave out."""
_LIMIT = re.compile(r"\b(?:limit|cap|max|maximum|budget|allowance|deadline)\b", re.IGNORECASE)
_HYPHENED = re.compile(r"[a-z)]-[a-z]", re.IGNORECASE)
"""A figure within a compound ("zero-day", "a one-month period")."""
_GROUPS = content_words(
    "contractor contractors freelancer consultants intern interns apprentice apprentices trainee"
    " part-time full-time temporary executive executives director directors supervisor supervisors"
    " manager managers officer officers hires new-hires veteran veterans exempt non-exempt"
)
"""Words for people of whom an asker may not be one."""
_BINDING = frozenset({Modality.MUST_NOT, Modality.SHOULD_NOT})
_FREE = frozenset({Modality.MAY, Modality.NEED_NOT})
_LONGEST, _LONGEST_TEXT = 60, 300
"""Characters of a verdict, and of a sentence that it is read from: a longer one says many things.
"""
_WORDS = {Polarity.YES: "Yes", Polarity.NO: "No"}


def verdict(
    question: str, claims: Sequence[Claim], *, place: SectionRef | None = None
) -> Claim | None:
    """Return the rule in a few words, with the citations of the first claim; None: not certain.

    Args:
        question: What was asked, in words that stand alone.
        claims: Verified, in the order in which they are shown.
        place: Where the first one stands: a section for one country or group is for no other.
    """
    if not claims or (place is not None and not _is_for_all(question, place)):
        return None
    question, first = " ".join(question.split()), claims[0]
    lead_ins = lead_ins_of(first)
    stored = first.citations[-1].quote if first.citations else ""
    if not lead_ins and (len(first.citations) != 1 or first.text != sentence(stored)):
        return None
    introduced = " ".join(one.quote for one in lead_ins) or None
    words = _ruling(question, stored, introduced) or _figure(question, said(stored, introduced))
    if words is None or any(_differs(question, words, first, other) for other in claims[1:]):
        return None
    return Claim(text=words, citations=first.citations)


def _is_for_all(question: str, place: SectionRef) -> bool:
    """Say whether a section is for whoever asks, or for what the question names."""
    heading = " ".join((*place.path, place.title))
    countries = {*jurisdictions_in(heading), *([place.jurisdiction] if place.jurisdiction else [])}
    groups = content_words(heading) & _GROUPS
    return countries <= set(jurisdictions_in(question)) and groups <= content_words(question)


def _differs(question: str, words: str, first: Claim, other: Claim) -> bool:
    """Say whether another claim about the same says something else, or makes an exception."""
    if len(content_words(question) & content_words(other.text)) == 0:
        return False
    if _EXEMPTS.search(other.text):
        return True
    ours, theirs = ({one.modality for one in modalities(c.text)} for c in (first, other))
    if (ours & _BINDING and theirs & _FREE) or (ours & _FREE and theirs & _BINDING):
        return True
    kinds = {one.kind for one in quantities(words)}
    return any(one.kind in kinds and one.raw not in words for one in quantities(other.text))


def _ruling(question: str, stored: str, lead_in: str | None) -> str | None:
    answer = polarity(question, stored, lead_in)
    if answer is None:
        return "Only with approval." if needs_approval(question, stored, lead_in) else None
    text, asked = said(stored, lead_in), asked_of(question)
    clause = ruled(text)
    if clause is not None and clause.modality is Modality.MUST_NOT:
        trigger = clause.trigger.of(text).casefold() if clause.trigger else ""
        is_unable = asked is Asked.ALLOWED and trigger.startswith("can")
        return "No." if is_unable else "Not allowed."
    limits = [one.quantity for one in bounds(text) if one.bound is Bound.AT_MOST]
    if asked is Asked.ALLOWED and answer is Polarity.YES and limits:
        return f"Yes, up to {limits[0].raw}." if limits[0].kind == "amount" else None
    return f"{_WORDS[answer]}."


def _figure(question: str, text: str) -> str | None:
    """Return the one figure of a sentence, if it is of the kind that is asked for."""
    kind = next((kind for kind, pattern in _FIGURES if pattern.match(question)), None)
    found = [one for one in quantities(text) if one.kind != "section"]
    spans = {one.span for one in found}
    if kind is None or len(spans) != 1 or found[0].kind != kind or quantities(question):
        return None
    if not _is_plain(text) or not covers(question, text, ruled(text)):
        return None
    if (content_words(text) & _GROUPS) - content_words(question):
        return None
    if set(jurisdictions_in(text)) - set(jurisdictions_in(question)):
        return None
    is_limit = _LIMIT.search(question) is not None
    words = _verbatim(text, bounds(text)[0], is_limit=is_limit)
    return f"{words[0].upper()}{words[1:]}." if words and len(words) <= _LONGEST else None


def _verbatim(text: str, bounded: Bounded, *, is_limit: bool) -> str | None:
    """Return a figure with its bound and unit as they stand; None: the text says more with it.

    Who asks for a limit takes a bare figure for one.
    """
    span = bounded.quantity.span
    before = _BEFORE.search(text[: span.char_start])
    is_bare = before is None and bounded.bound is not Bound.NONE
    if is_bare and not (is_limit and bounded.bound is Bound.AT_MOST):
        return None
    if _TURNING.match(text, span.char_end) or _HYPHENED.search(span.of(text)):
        return None
    after = _AFTER.match(text, span.char_end)
    words = f"{before[0] if before else ''}{span.of(text)}{after[0] if after else ''}"
    words = " ".join(words.split())
    is_time = bounded.quantity.kind == "duration"
    return words if is_time else re.sub(r"^for ", "", words, flags=re.IGNORECASE)


def _is_plain(text: str) -> bool:
    return len(text) <= _LONGEST_TEXT and "|" not in text and not _CONDITIONAL.search(text)
