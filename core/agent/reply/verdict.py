"""After `verify`: the rule first ("Not allowed.", "Yes, up to EUR 35.", "Within 72 hours.").

A verdict is a claim like any other: it cites what the first verified claim cites, its polarity
follows from the modality of the quoted sentence, and its figure stands in the quote with its unit
and its bound, word for word. Where question or sentence have a condition, an exception or a second
figure that could make a difference, there is none.

Held against the best sentence for each of 1,587 answerable yes-or-no questions about 138 policies
that others wrote, it rules on 43, and on 73 where a reader is sure of the sentence; for the rest
see `core.grounding.short_answers`. All were read: none is wrong, two are open to dispute
("Do I have to sign the handbook?", where an agreement to abide by it has to be signed). Of 369
answers as they are given without a model, 24 begin with a verdict; none of those is wrong.
"""

import re
from collections.abc import Sequence

from core.agent.reply.prose import lead_ins_of
from core.domain.answer import Claim
from core.domain.ontology import SectionRef
from core.grounding.bounds import Bound, bounds
from core.grounding.short_answers import GROUPS, short_answer
from core.grounding.yes_or_no import (
    AskedModality,
    Polarity,
    asked_of,
    needs_approval,
    polarity,
    qualified,
    ruled,
    said,
    states,
)
from core.language.content_words import content_words
from core.language.jurisdictions import jurisdictions_in
from core.language.modality import Modality, modalities
from core.language.phrasing import sentence
from core.language.quantities import quantities

_EXEMPTS = re.compile(
    r"\b(?:exempt(?:s|ed|ions?)?|(?<!no\s)exceptions?|except|unless|however|only\s(?:if|when|with))\b",
    re.IGNORECASE,
)
"""How another sentence takes something out of a rule."""
_BINDING = frozenset({Modality.MUST_NOT, Modality.SHOULD_NOT})
_FREE = frozenset({Modality.MAY, Modality.NEED_NOT})
_OPEN = re.compile(r"exceptions|conditions|^As a rule")
"""A verdict that leaves room for exceptions itself."""
_RULED = re.compile(r"(?:yes|no|not\sallowed|only\swith)\b[\s,.:;\u2013\u2014-]", re.IGNORECASE)
"""How a claim begins that rules itself."""
_WORDS = {Polarity.YES: "Yes", Polarity.NO: "No"}


def verdict(
    question: str,
    claims: Sequence[Claim],
    *,
    place: SectionRef | None = None,
    is_found: bool = False,
) -> Claim | None:
    """Return the rule in a few words, with the citations of the first claim; None: not certain.

    Args:
        question: What was asked, in words that stand alone.
        claims: Verified, in the order in which they are shown.
        place: Where the first one stands: a section for one country or group is for no other.
        is_found: True if the first claim is known to answer, and not only to come nearest.
    """
    if not claims or (place is not None and not _is_for_all(question, place)):
        return None
    question, first = " ".join(question.split()), claims[0]
    if not first.citations or _RULED.match(first.text):
        return None
    *above, stored = [one.quote for one in first.citations]
    is_quoted = bool(lead_ins_of(first)) or (not above and first.text == sentence(stored))
    words = _words(question, stored, " ".join(above) or None, is_found=is_found)
    if not is_quoted and (
        len(above) > 1 or words != _words(question, first.text, None, is_found=is_found)
    ):
        return None
    if words is None or any(_differs(question, words, first, other) for other in claims[1:]):
        return None
    return Claim(text=words, citations=first.citations)


def _words(question: str, stored: str, lead_in: str | None, *, is_found: bool) -> str | None:
    ruling = _ruling(question, stored, lead_in, is_found=is_found)
    return ruling or short_answer(question, said(stored, lead_in))


def _is_for_all(question: str, place: SectionRef) -> bool:
    """Say whether a section is for whoever asks, or for what the question names."""
    heading = " ".join((*place.path, place.title))
    countries = {*jurisdictions_in(heading), *([place.jurisdiction] if place.jurisdiction else [])}
    groups = content_words(heading) & GROUPS
    return countries <= set(jurisdictions_in(question)) and groups <= content_words(question)


def _differs(question: str, words: str, first: Claim, other: Claim) -> bool:
    """Say whether another claim about the same says something else, or makes an exception."""
    if len(content_words(question) & content_words(other.text)) == 0:
        return False
    if _EXEMPTS.search(other.text) and _OPEN.search(words) is None:
        return True
    ours, theirs = ({one.modality for one in modalities(c.text)} for c in (first, other))
    if (ours & _BINDING and theirs & _FREE) or (ours & _FREE and theirs & _BINDING):
        return True
    kinds = {one.kind for one in quantities(words)}
    return any(one.kind in kinds and one.raw not in words for one in quantities(other.text))


def _ruling(question: str, stored: str, lead_in: str | None, *, is_found: bool) -> str | None:
    answer = polarity(question, stored, lead_in, is_found=is_found)
    if answer is None:
        return _open_ruling(question, stored, lead_in)
    text, asked = said(stored, lead_in), asked_of(question)
    clause = ruled(text)
    if clause is not None and clause.modality is Modality.MUST_NOT:
        trigger = clause.trigger.of(text).casefold() if clause.trigger else ""
        is_unable = asked is AskedModality.ALLOWED and trigger.startswith("can")
        return "No." if is_unable or asked is AskedModality.ADVISED else "Not allowed."
    limits = [one.quantity for one in bounds(text) if one.bound is Bound.AT_MOST]
    if asked is AskedModality.ALLOWED and answer is Polarity.YES and limits:
        return f"Yes, up to {limits[0].raw}." if limits[0].kind == "amount" else None
    return f"{_WORDS[answer]}."


def _open_ruling(question: str, stored: str, lead_in: str | None) -> str | None:
    """Return what a rule says that leaves something open, or a sentence that is no rule."""
    if needs_approval(question, stored, lead_in):
        return "Only with approval."
    found = qualified(question, stored, lead_in)
    if found is not None:
        answer, kind = found
        is_forbidden = (asked_of(question) is AskedModality.ALLOWED) == (answer is Polarity.NO)
        is_act = asked_of(question) in {AskedModality.ALLOWED, AskedModality.FORBIDDEN}
        said_so = "Not allowed" if is_forbidden and is_act else _WORDS[answer]
        return f"{said_so}, with {kind}."
    fact = states(question, stored, lead_in)
    return f"{_WORDS[fact]}." if fact else None
