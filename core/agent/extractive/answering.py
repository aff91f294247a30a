"""What a message asks, and which of the ranked sections are quoted for it."""

import re
from collections.abc import Sequence
from dataclasses import replace

from core.agent.binding import bound_to, groups_named, things_brought
from core.agent.conversation.understanding import ALL
from core.agent.extractive.branching import strong_ones
from core.agent.extractive.quoting import quoted_of
from core.agent.extractive.ranking import by_section
from core.agent.extractive.scoring import Scored, Wanted, layers
from core.agent.facets import Facets, last_facets_of, without_facets
from core.agent.planning.amounts import amounts_of
from core.agent.planning.definitions import with_defined
from core.agent.planning.intent import Intent
from core.agent.planning.parts import MOST, Part, parts_of
from core.agent.planning.terms import cover, is_telling
from core.domain.question import Question
from core.domain.run import Plan, Term
from core.language.content_words import content_words
from core.language.jurisdictions import country_name, without_jurisdictions

MOST_CASES = 4
"""Sections quoted if every case was asked for."""
_COMPARES = re.compile(
    r"\b(?:(?:the\s+)?differences?(?:\s+between)?|differ(?:s|ed|ent)?|between|versus|vs\.?"
    r"|compared?(?:\s+(?:to|with))?)(?!\w)",
    re.IGNORECASE,
)
"""What makes a comparison of a question. A rule answers what it says, not how it differs from
another one, so each side is asked for without it."""
_INSTANCE = re.compile(
    r"\b(give|offer|send|hand|buy|promise|accept|receive|take)\s+"
    r"(?:(?!(?:to|from|for)\b)\w[^\s?!]*\s+){1,12}(?=(?:to|from|for)\s)",
    re.IGNORECASE,
)
"""What is given to somebody. A rule about public officials speaks of no wine worth EUR 40: it is
found for "anything", and with the price the limit for others."""
READ_WHOLE = 300
"""Characters up to which a message is read whole with each text; of a longer one, what it asks."""


def wanted_of(question: Question, plan: Plan) -> list[Wanted]:
    """Return what each question of the message is after, each side of a comparison by itself.

    Country and employment hold for all of them.
    """
    told = tuple(item.value for item in question.assumptions)
    said = last_facets_of((question.standalone, question.text, *told))
    scoped = question.scope.jurisdiction
    amounts = amounts_of(question.standalone)
    facets = Facets(
        jurisdictions=said.jurisdictions or (frozenset({scoped}) if scoped else frozenset()),
        employments=said.employments,
    )
    groups, bound = groups_named(question), bound_to(question)
    thing = content_words(" ".join(things_brought(question)))
    parts = parts_of(question.search_text, plan.terms)
    wanted = [
        Wanted(
            text=_read(part, question.search_text, is_one=len(parts) == 1, is_bound=bool(bound)),
            terms=part.terms,
            intents=part.intents,
            facets=facets,
            amounts=amounts,
            groups=groups,
            bound=bound,
            thing=thing,
        )
        for part in parts
    ]
    return _sides(wanted[0], plan) if len(wanted) == 1 and is_comparison(plan) else wanted


def is_comparison(plan: Plan) -> bool:
    """Say whether a question compares: it is answered by all of its sides, or not at all."""
    return plan.intent == Intent.COMPARISON


def _read(part: Part, message: str, *, is_one: bool, is_bound: bool) -> str:
    """Return the words that are read together with texts: the end of what is asked."""
    whole = is_one and len(message) <= READ_WHOLE
    read = (message if whole else part.text)[-READ_WHOLE:]
    if Intent.DEFINITION not in part.intents:
        read = with_defined(read, part.terms)
    return _INSTANCE.sub(_without_price, read) if is_bound else read


def _without_price(found: re.Match[str]) -> str:
    has_price = any(letter.isdigit() for letter in found[0])
    return f"{found[1]} anything " if has_price else found[0]


def _sides(wanted: Wanted, plan: Plan) -> list[Wanted]:
    """Return a question for each of the countries, employments or subjects that are compared."""
    countries, employments = sorted(wanted.facets.jurisdictions), sorted(wanted.facets.employments)
    if len(countries) > 1:
        asked = _COMPARES.sub(" ", without_jurisdictions(wanted.text))
        return [
            replace(
                wanted,
                text=f"{country_name(one)}: {' '.join(asked.split())}",
                facets=replace(wanted.facets, jurisdictions=frozenset({one})),
            )
            for one in countries[:MOST]
        ]
    if len(employments) > 1:
        asked = _COMPARES.sub(" ", without_facets(wanted.text))
        return [
            replace(
                wanted,
                text=f"{one}: {' '.join(asked.split())}",
                facets=replace(wanted.facets, employments=frozenset({one})),
                groups=wanted.groups | {one},
            )
            for one in employments
        ]
    return [
        replace(
            wanted,
            text=f"What is {subject}?",
            terms=tuple(term for term in wanted.terms if term.word in content_words(subject)),
        )
        for subject in plan.subjects
    ] or [wanted]


def answering(ranked: Sequence[Scored], wanted: Wanted, question: Question) -> list[Scored]:
    """Return the sentences to quote: the best ones, or every case if all were asked for."""
    if any(item.value == ALL for item in question.assumptions):
        return strong_ones(by_section(ranked))[:MOST_CASES]
    return quoted_of(ranked, wanted)


def open_words(answering: Sequence[Scored], wanted: Wanted) -> list[str]:
    """Return the telling words of a question that none of the quoted sections covers."""
    return [
        term.word
        for term in wanted.terms
        if is_telling(term) and all(not _covers(one, term) for one in answering)
    ]


def _covers(one: Scored, term: Term) -> bool:
    return cover([term], layers(one.passage, one.unit)).share > 0
