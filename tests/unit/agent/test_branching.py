"""When the country is asked for: nobody is told the rule of one country as if it were his."""

from core.agent.evidence_text import passages_of
from core.agent.extractive.questions import SubQuestion
from core.agent.extractive.quoting import NOWHERE, find_branch
from core.agent.extractive.ranking import ScoredSentence, by_section, rank
from core.agent.planning.intent import Facets, Intent
from core.domain.evidence import EvidenceItem
from core.domain.run import Term
from tests.factories import make_item, make_place
from tests.fakes import ScriptedReader

GERMAN = make_item(
    "Employees may accept gifts worth up to EUR 35.",
    place=make_place("Gift limit", policy="gifts-de", jurisdiction="DE"),
)
GROUP = make_item(
    "Gifts must not be given in cash.", place=make_place("Gifts in cash", policy="gifts")
)


def _wanted(*, jurisdictions: frozenset[str] = frozenset()) -> SubQuestion:
    return SubQuestion(
        text="gift",
        terms=(Term(word="gift", weight=1.0, surface="gift"),),
        intents=(Intent.GENERAL,),
        facets=Facets(jurisdictions=jurisdictions),
    )


async def _ranked(item: EvidenceItem, wanted: SubQuestion) -> list[ScoredSentence]:
    return await rank(passages_of([item]), wanted, reader=None)


async def test_a_sentence_holds_for_whom_the_one_before_it_names() -> None:
    """ "A gift above this limit" is one of employees in Germany, where the limit is theirs."""
    above = "A gift above this limit needs written approval by {office}."
    items = [
        make_item(
            f"Employees who work in {country} may accept gifts worth up to {limit}."
            f" {above.format(office=office)}",
            key=f"c{number}",
            version=number,
            place=make_place("Gift limit", policy=f"gifts-{number}"),
        )
        for number, (country, limit, office) in enumerate(
            (("Germany", "EUR 35", "Berlin Legal"), ("the United Kingdom", "GBP 50", "the Unit")),
            start=1,
        )
    ]
    wanted = _wanted()
    reader = ScriptedReader({above.partition("{")[0]: 5.0})
    ranked = by_section(await rank(passages_of(items), wanted, reader=reader))
    assert all("above this limit" in one.unit.text for one in ranked)
    branch = find_branch(ranked, wanted, countries=NOWHERE)
    assert branch is not None
    assert branch.options == ("Germany", "United Kingdom")


async def test_the_rule_of_one_country_is_not_told_to_somebody_elsewhere() -> None:
    """Where other countries have policies too, the country is asked for before a local rule."""
    wanted = _wanted()
    ranked = await _ranked(GERMAN, wanted)
    branch = find_branch(ranked, wanted, countries=frozenset({"DE", "GB"}))
    assert branch is not None
    assert (branch.slot, branch.options) == ("jurisdiction", ("Germany", "United Kingdom"))
    assert find_branch(ranked, wanted, countries=NOWHERE) is None


async def test_one_country_alone_leaves_nothing_to_ask() -> None:
    """Where only one country has a policy of its own, its rule is given."""
    wanted = _wanted()
    assert find_branch(await _ranked(GERMAN, wanted), wanted, countries=frozenset({"DE"})) is None


async def test_a_group_wide_rule_is_given_to_everybody() -> None:
    """A rule of the whole group does not depend on the country."""
    wanted = _wanted()
    countries = frozenset({"DE", "GB"})
    assert find_branch(await _ranked(GROUP, wanted), wanted, countries=countries) is None


async def test_a_stated_country_is_not_asked_for_again() -> None:
    """Who said where he works is given the rule of his country."""
    wanted = _wanted(jurisdictions=frozenset({"DE"}))
    countries = frozenset({"DE", "GB"})
    assert find_branch(await _ranked(GERMAN, wanted), wanted, countries=countries) is None
