"""Definitions: what names a thing, and which text says what it is."""

import pytest

from core.agent.planning.facts import defines, vocabulary_for, with_definitions
from core.agent.planning.terms import terms_of
from tests.factories import make_scope
from tests.fakes import InMemoryCorpus, InMemoryOntology, Policy


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("Material interest | Owning more than 5 % of a supplier.", "What is a material interest?"),
        ('"Related party" means a spouse or a child.', "what does related party mean"),
        ("A near miss is an event that could have hurt somebody.", "define near miss"),
    ],
)
def test_what_defines(text: str, asked: str) -> None:
    """A row or a sentence whose subject is what was asked about."""
    assert defines(text, asked)


@pytest.mark.parametrize(
    "text",
    [
        "Related party | A spouse, or a company in which a spouse has a material interest.",
        "Material interests must be disclosed.",
        "A material interest in a supplier is disclosed once a year.",
        "",
        "| " * 4000,
    ],
    ids=["another row", "a rule", "a longer subject", "nothing", "bars"],
)
def test_what_does_not_define(text: str) -> None:
    """Though it has all the words."""
    assert not defines(text, "What is a material interest?")


@pytest.mark.parametrize(
    ("definition", "is_named"),
    [
        ('"Cash equivalent" means gift cards and vouchers.', True),
        ('"Cash equivalent" means cheques, any gift card, and vouchers.', True),
        ('"Cash equivalent" means whatever somebody with a gift card buys with it.', False),
    ],
)
async def test_a_definition_names_what_it_lists(definition: str, *, is_named: bool) -> None:
    """Not whatever it speaks of: the reader would read the question with a wrong term."""
    policy = Policy(key="gifts", title="Gifts", text=f"# Gifts\n\n## 1 Terms\n{definition}\n")
    knowledge = await InMemoryOntology(InMemoryCorpus(policy)).open(make_scope())
    asked = "May I keep a gift card?"
    terms = terms_of(asked, await vocabulary_for(asked, knowledge))
    terms = await with_definitions(asked, terms, knowledge)
    assert any(term.defined == "Cash equivalent" for term in terms) is is_named
