"""What a message asks, and which of the ranked sections are quoted for it."""

import re
from collections.abc import Sequence

from core.agent.binding import bound_to, groups_named
from core.agent.conversation import ALL
from core.agent.extractive.amounts import amounts_of
from core.agent.extractive.branching import strong_ones
from core.agent.extractive.parts import Part, parts_of
from core.agent.extractive.quoting import quoted_of
from core.agent.extractive.ranking import by_section
from core.agent.extractive.scoring import Scored, Wanted, layers
from core.agent.planning.facets import EMPLOYMENT, JURISDICTION, Facets, last_facets_of
from core.agent.planning.intent import Intent
from core.agent.planning.terms import cover, is_telling
from core.domain.question import Question
from core.domain.run import Plan, Term

SIDES = 2
"""A comparison has two."""
MOST_CASES = 4
"""Sections quoted if every case was asked for."""
_DIFFERENCE = re.compile(
    r"\bwhat(?:\s+is|\s+are|['\u2019]s)\s+the\s+differences?\s+between\b\s*", re.IGNORECASE
)
READ_WHOLE = 300
"""Characters up to which a message is read whole with each text; of a longer one, what it asks."""


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
    groups, bound = groups_named(question), bound_to(question)
    parts = parts_of(question.search_text, plan.terms)
    return [
        Wanted(
            text=_read(part, question.search_text, is_one=len(parts) == 1),
            terms=part.terms,
            intents=part.intents,
            facets=facets,
            amounts=amounts,
            groups=groups,
            bound=bound,
        )
        for part in parts
    ]


def _read(part: Part, message: str, *, is_one: bool) -> str:
    """Return the words that are read together with texts: the end of what is asked."""
    whole = is_one and len(message) <= READ_WHOLE
    # A rule answers what it says, not how it differs from another one.
    return _DIFFERENCE.sub("What are ", (message if whole else part.text)[-READ_WHOLE:])


def answering(
    ranked: Sequence[Scored], wanted: Wanted, question: Question, plan: Plan
) -> list[Scored]:
    """Return the sentences to quote: the best ones; both sides of a comparison.

    Every case if all were asked for.
    """
    if any(item.value == ALL for item in question.assumptions):
        return strong_ones(by_section(ranked))[:MOST_CASES]
    if plan.intent == Intent.COMPARISON and (sides := _sides(by_section(ranked), wanted)):
        return sides
    return quoted_of(ranked, wanted)


def _sides(ranked: Sequence[Scored], wanted: Wanted) -> list[Scored]:
    """Return the best section for each of the countries or employments that are compared."""
    for slot in (JURISDICTION, EMPLOYMENT):
        found = [
            next((one for one in ranked if one.passage.facets.of(slot) == frozenset({value})), None)
            for value in sorted(wanted.facets.of(slot))
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
