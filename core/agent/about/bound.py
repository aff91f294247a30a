"""Bind a question to the policies that it names, before anything is searched for it.

By the name of a policy, of a company or of a country. What is bound is searched first, and the rest
where nothing there answers; a name that no policy in scope has binds nothing. That alone makes an
answer of another policy's text no better: where a question asks for a fact about a policy that
nobody knows here ("Who owns the pension policy?"), what is quoted must speak of it by that name.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from core.agent.about.asked import Asked, asked_about
from core.agent.about.naming import bound_to, meant, mentions, names_something
from core.domain.policy import PolicyVersion
from core.domain.policy_facts import FactKind
from core.domain.question import Question
from core.language.conditions import Condition, ConditionKind, shown
from core.language.jurisdictions import rules_of
from core.ports import CorpusStore

_IT = "\u00a7"
_SAYS = re.compile(
    rf"(?P<before>.*?)\bwhat (?:does|do|did|has) (?:the |our )?{_IT} (?:say|state|tell us|tell me"
    r"|require|specify|have|regulate|rule|mention|contain|got) (?:to say )?"
    r"(?:about|on|regarding|concerning|for|when it comes to) (?=\S)",
    re.IGNORECASE | re.DOTALL,
)
"""What asks for all that a policy says about something."""


async def bound(question: Question, corpus: CorpusStore) -> Question:
    """Return a question with the policies to which it is bound."""
    text = question.search_text
    if not (names_something(text) or rules_of(text)):
        return question
    versions = await corpus.versions(question.scope)
    named = bound_to(text, versions)
    asked = asked_about(question)
    wants_summary = asked is not None and asked.kinds == (FactKind.SUMMARY,)
    if asked and wants_summary:
        names = [one.mention for one in asked.wanted if one.mention]
        named = tuple(one for name in names for one in meant(name, versions, asked.text))
    said = _asked_of(text, versions) if named else text
    keys = {one.metadata.key for one in named} or _of_country(text, versions)
    return replace(
        question,
        searched=question.searched if said == text else said,
        bound=frozenset(keys),
        wants_summary=wants_summary and bool(named),
        named=tuple(dict.fromkeys(one.metadata.title for one in named)),
        conditions=(*question.conditions, *_unknown(asked, versions)),
    )


def _asked_of(text: str, versions: Sequence[PolicyVersion]) -> str:
    """Return what is asked of a policy that is named, without its name.

    "What does the gifts policy say about vouchers?" asks for rules on vouchers: sentences that
    name the policy answer no better for it, and are what a search for the name would find.
    """
    said = text.replace(_IT, " ")
    for mention in reversed(mentions(said)):
        if meant(mention, versions, said):
            said = f"{said[: mention.start]}{_IT}{said[mention.end :]}"
    asks = _SAYS.match(said)
    if asks is None:
        return text
    rest = said[asks.end() :].replace(_IT, "the policy")
    return f"{asks['before']}Which rules are there on {rest}"


def _of_country(text: str, versions: Sequence[PolicyVersion]) -> set[str]:
    """Return the policies of the countries that a question names, with those that hold everywhere.

    None where no policy is of such a country: all may be searched then.
    """
    countries = rules_of(text)
    local = [one for one in versions if one.metadata.jurisdiction in countries]
    there = [one for one in versions if one.metadata.jurisdiction in {*countries, None}]
    return {one.metadata.key for one in there} if local and len(there) < len(versions) else set()


def _unknown(asked: Asked | None, versions: Sequence[PolicyVersion]) -> tuple[Condition, ...]:
    """Return the names in a question about policies themselves that none of them has."""
    names = [one.mention for one in asked.wanted if one.mention] if asked else []
    return tuple(
        Condition(
            kind=ConditionKind.POLICY,
            words=shown(one.text),
            name=" ".join(one.words),
            is_new=True,
        )
        for one in dict.fromkeys(names)
        if asked and not meant(one, versions, asked.text)
    )
