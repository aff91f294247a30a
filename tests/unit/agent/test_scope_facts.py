"""What the ontology says that the stages need: whose countries' rules are not the asker's."""

from dataclasses import replace

import pytest

from core.agent.applicability import foreign_countries
from core.domain.answer import Branch
from core.domain.question import ALL, Assumption
from tests.factories import make_question, make_scope
from tests.fakes import InMemoryOntology
from tests.unit.agent.world import make_world


@pytest.mark.parametrize(
    ("countries", "text", "foreign"),
    [
        (("DE", "GB"), "May I accept gifts?", {"DE", "GB"}),
        (("DE", "GB", None), "May I accept gifts in Germany?", {"GB"}),
        (("DE", "GB"), "I work in London. May I accept gifts?", {"DE"}),
        (("DE", None), "May I accept gifts?", {"DE"}),
        (("DE",), "May I accept gifts?", set[str]()),
        ((None,), "May I accept gifts?", set[str]()),
        (("EU", None), "May I accept gifts?", set[str]()),
    ],
)
def test_a_country_is_foreign_unless_it_is_known_to_be_meant(
    countries: tuple[str | None, ...], text: str, foreign: set[str]
) -> None:
    """A corpus of one country is the company's own; a region is no country."""
    assert foreign_countries(make_question(text), frozenset(countries)) == foreign


def test_the_conversation_and_the_asker_say_the_country() -> None:
    """The scope counts, and what was said when it was asked for; all means all."""
    two = frozenset({"DE", "GB"})
    scoped = make_question("May I?", scope=make_scope(jurisdiction="DE"))
    assert foreign_countries(scoped, two) == {"GB"}
    said = Assumption(slot="jurisdiction", value="United Kingdom", source="asker")
    assert foreign_countries(make_question("May I?", assumptions=(said,)), two) == {"DE"}
    everywhere = replace(said, value=ALL)
    assert foreign_countries(make_question("May I?", assumptions=(everywhere,)), two) == set()


async def test_roles_and_sections_are_named_and_counted() -> None:
    """As the ontology has them: only the roles that a text may name are read."""
    known = await InMemoryOntology(make_world().corpus).open(make_scope())
    assert "Compliance Officer" in await known.role_names("Ask the compliance officers.")
    assert await known.role_names("Ask nobody.") == ()
    assert known.extent.sections > 0


def test_a_draft_that_asks_for_the_country_tells_no_rule() -> None:
    """It keeps its claims; asking for something else, it tells none of another country."""
    two = frozenset({"DE", "GB"})
    where = Branch(slot="jurisdiction", question="Where?", options=("Germany", "United Kingdom"))
    assert foreign_countries(make_question("May I?"), two, asked=where) == set()
    who = replace(where, slot="employment")
    assert foreign_countries(make_question("May I?"), two, asked=who) == {"DE", "GB"}
