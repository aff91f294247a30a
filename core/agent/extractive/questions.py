"""The questions of a message, each with the words, people, places and amounts that it is about."""

import re
from dataclasses import dataclass, replace

from core.agent.applicability import groups_named, people_concerned, things_brought
from core.agent.planning.facts import with_defined
from core.agent.planning.intent import Facets, Intent, amounts_of, last_facets_of, without_facets
from core.agent.planning.terms import MOST, QuestionPart, parts_of
from core.domain.question import Question
from core.domain.run import Plan, Term
from core.language.content_words import content_words
from core.language.jurisdictions import country_name, without_jurisdictions

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


@dataclass(frozen=True, slots=True, kw_only=True)
class SubQuestion:
    """One question of a message."""

    text: str
    """The question, as it is read together with texts."""
    terms: tuple[Term, ...]
    """Its telling words."""
    intents: tuple[Intent, ...]
    """Its kinds, the most telling first."""
    facets: Facets
    """Country and employment that it, its thread or its scope name."""
    amounts: frozenset[str] = frozenset()
    """Amounts that the message names, in their canonical form."""
    groups: frozenset[str] = frozenset()
    """Groups of staff that the message names or to which its asker belongs."""
    bound: frozenset[str] = frozenset()
    """People whom the message is about; see `binding.bound_to`."""
    thing: frozenset[str] = frozenset()
    """Stems of the thing for which a follow-up exchanged another one."""


def subquestions(question: Question, plan: Plan) -> list[SubQuestion]:
    """Return the questions of a message, each side of a comparison as one of its own.

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
    groups, bound = groups_named(question), people_concerned(question)
    thing = content_words(" ".join(things_brought(question)))
    parts = parts_of(question.search_text, plan.terms)
    wanted = [
        SubQuestion(
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


def _read(part: QuestionPart, message: str, *, is_one: bool, is_bound: bool) -> str:
    """Return the words that are read together with texts: the end of what is asked."""
    whole = is_one and len(message) <= READ_WHOLE
    read = (message if whole else part.text)[-READ_WHOLE:]
    if Intent.DEFINITION not in part.intents:
        read = with_defined(read, part.terms)
    return _INSTANCE.sub(_without_price, read) if is_bound else read


def _without_price(found: re.Match[str]) -> str:
    has_price = any(letter.isdigit() for letter in found[0])
    return f"{found[1]} anything " if has_price else found[0]


def _sides(wanted: SubQuestion, plan: Plan) -> list[SubQuestion]:
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
