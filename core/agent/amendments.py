"""What amends a clause that is quoted: it is quoted beside it, whatever the clause says.

A document amends a policy if its title says so ("Amendment No. 2 to the Records Rules"), and a
clause if one of its sentences names the clause's section, repeats words of it in quotes, or states
the same thing anew. Both are shown, and a person reads what holds: nothing is rewritten by code.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from core.agent.decision_input import DecisionInput
from core.domain.answer import Badge, Citation, Claim
from core.domain.evidence import RetrievedChunk
from core.domain.question import Scope
from core.expressions import expression
from core.language.content_words import content_words
from core.language.sentences import split_sentences
from core.ports import CorpusReader
from core.retrieval.retriever import ChunkRetriever

_TITLE = expression(
    r"\b(?:amendments?|amending|addendum|changes?|modifications?|nachtrag|änderung(?:en)?"
    r"|ergänzung(?:en)?)\b[^\n]{0,60}?\s(?:to|of|zur|zum|der|des)\s"
    r"(?P<policy>[^\n,;(\u2013\u2014]{3,120})",
    re.IGNORECASE,
)
_UNCHANGED = expression(
    r"\b(?:not (?:changed|affected|amended)|unchanged|unverändert|nicht (?:geändert|berührt))\b",
    re.IGNORECASE,
)
_NUMBERED = expression(
    r"(?:\u00a7\s?|\b(?:sections?|clauses?|articles?|paragraphs?|no\.?|number|abschnitt|ziffer|artikel"
    r"|absatz|nr\.?)\s)(?P<number>\d[\w.]{0,12}\w|\d)",
    re.IGNORECASE,
)
_QUOTED = expression(
    r"[\"\u201c\u201e\u00bb]([^\"\u201c\u201d\u201e\u00ab\u00bb]{2,200})[\"\u201d\u201c\u00ab]"
)
_ITEM = expression(r"\W*(?P<number>\d[\d.]{0,12}?)[.)]?\s")
_GENERAL = content_words("policy rules code guideline procedure standard directive regulations")
_MOST = 3
"""Sentences that are quoted besides, at most."""
_ANEW = 0.6
"""Share of a clause's words that a sentence has that states it anew."""


async def with_amendments(
    situation: DecisionInput, *, corpus: CorpusReader, retriever: ChunkRetriever, scope: Scope
) -> DecisionInput:
    """Return what was decided on with what amends its clauses, and at most at Medium then."""
    claims = situation.verified.claims
    amending = await amending_claims(claims, corpus=corpus, retriever=retriever, scope=scope)
    if not amending:
        return situation
    added = tuple(claim for claim in amending if claim not in claims)
    verified = replace(situation.verified, claims=(*claims, *added))
    confidence = situation.confidence
    if confidence.badge is Badge.HIGH:
        confidence = replace(confidence, badge=Badge.MEDIUM)
    return replace(situation, verified=verified, confidence=confidence, amending=amending)


async def amending_claims(
    claims: Sequence[Claim], *, corpus: CorpusReader, retriever: ChunkRetriever, scope: Scope
) -> tuple[Claim, ...]:
    """Return what amends the clauses that claims quote: the claim that quotes it, or a new one."""
    titles = {each.metadata.key: each.metadata.title for each in await corpus.versions(scope)}
    amending = {key: match["policy"] for key in titles if (match := _TITLE.search(titles[key]))}
    if not claims or not amending:
        return ()
    places = await corpus.places([cited.span for claim in claims for cited in claim.citations])
    found: dict[str, Claim] = {}
    for key, named in amending.items():
        clauses = [
            (place.number or "", cited.quote)
            for claim in claims
            for cited in claim.citations
            if (place := places.get(cited.span))
            and place.policy_key not in amending
            and _is_meant(named, place.policy_title)
        ]
        chunks = await retriever.section(key, None, scope) if clauses else ()
        found |= {claim.text: claim for claim in _amending(chunks, clauses)}
    quoted = {cited.quote: claim for claim in claims for cited in claim.citations}
    return tuple(quoted.get(text, claim) for text, claim in found.items())[:_MOST]


def is_amendment(title: str) -> bool:
    """Say whether a title is that of a document that amends another one."""
    return _TITLE.search(title) is not None


def _is_meant(named: str, title: str) -> bool:
    """Return whether a title's policy is the one that an amendment names."""
    words = content_words(named)
    return bool(words) and (words - _GENERAL or words) <= content_words(title)


def _amending(
    chunks: Sequence[RetrievedChunk], clauses: Sequence[tuple[str, str]]
) -> Iterator[Claim]:
    """Yield the sentences that amend one of these clauses, each given as its number and words."""
    for chunk in chunks:
        for unit in split_sentences(chunk.text):
            words = unit.of(chunk.text)
            if _UNCHANGED.search(words) or not any(_amends(words, *clause) for clause in clauses):
                continue
            start = chunk.span.char_start
            span = replace(
                chunk.span, char_start=start + unit.char_start, char_end=start + unit.char_end
            )
            yield Claim(text=words, citations=(Citation(key="", span=span, quote=words),))


def _amends(sentence: str, number: str, clause: str) -> bool:
    numbers = {match["number"] for match in _NUMBERED.finditer(sentence)}
    item = _ITEM.match(clause)
    if item and item["number"] in numbers:
        return True
    if number and any(f"{number}.".startswith(f"{each}.") for each in numbers):
        return True
    if any(quoted in clause for quoted in _QUOTED.findall(sentence)):
        return True
    words = content_words(clause)
    return bool(words) and len(words & content_words(sentence)) >= _ANEW * len(words)
