"""What a message asks, and which of the ranked sections are quoted for it."""

import re
from collections.abc import Sequence

from core.agent.conversation import ALL
from core.agent.extractive.amounts import amounts_of
from core.agent.extractive.branching import strong_ones
from core.agent.extractive.facets import EMPLOYMENT, JURISDICTION, Facets, last_facets_of
from core.agent.extractive.intent import Intent
from core.agent.extractive.parts import parts_of
from core.agent.extractive.scoring import Wanted, layers
from core.agent.extractive.select import Scored
from core.agent.extractive.terms import cover, is_telling
from core.domain.question import Question
from core.domain.run import Plan, Term

SIDES = 2
"""A comparison has two."""
MOST_CASES = 4
"""Sections quoted if every case was asked for."""
_PERCENTAGE = re.compile(r"\bpercent(?:age)?s?\b|%|\bper cent\b", re.IGNORECASE)


def wanted_of(question: Question, plan: Plan) -> list[Wanted]:
    """Return what each question of the message is after.

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
    return [
        Wanted(
            terms=part.terms,
            intents=part.intents,
            facets=facets,
            asks_percentage=bool(_PERCENTAGE.search(part.text)),
            amounts=amounts,
        )
        for part in parts_of(question.standalone, plan.terms)
    ]


def answering(
    ranked: Sequence[Scored], wanted: Wanted, question: Question, plan: Plan
) -> list[Scored]:
    """Return the passages to quote: the best one; both sides of a comparison.

    Every case if all were asked for.
    """
    if any(item.value == ALL for item in question.assumptions):
        return strong_ones(ranked)[:MOST_CASES]
    if plan.intent == Intent.COMPARISON:
        return _sides(ranked, wanted) or [ranked[0]]
    return [ranked[0]]


def _sides(ranked: Sequence[Scored], wanted: Wanted) -> list[Scored]:
    """Return the best section for each of the countries or employments that are compared."""
    for slot in (JURISDICTION, EMPLOYMENT):
        compared = sorted(wanted.facets.of(slot))
        fitting = sorted(ranked, key=lambda one: -one.measures.kind)
        found = [
            next(
                (one for one in fitting if one.passage.facets.of(slot) == frozenset({value})), None
            )
            for value in compared
        ]
        sides = [one for one in found if one is not None]
        if len(sides) >= SIDES:
            return sides
    return []


def open_words(answering: Sequence[Scored], wanted: Wanted) -> list[str]:
    """Return the telling words of a question that none of the quoted sections covers."""
    return [
        term.word
        for term in wanted.terms
        if is_telling(term) and all(not _covers(one, term) for one in answering)
    ]


def _covers(one: Scored, term: Term) -> bool:
    return cover([term], layers(one.passage, one.unit)).share > 0
