"""Under which conditions something is asked, and whether a text speaks of them."""

import pytest

from core.language.conditions import (
    QUOTED,
    Condition,
    ConditionKind,
    conditions_in,
    is_met,
    shown,
)
from core.language.jurisdictions import own_country, rules_of
from core.language.people import own_group


def found_in(text: str) -> list[tuple[str, str]]:
    return [(one.kind.value, one.name) for one in conditions_in(text)]


def test_who_where_and_how_much_are_conditions() -> None:
    """Each is found by its kind, whatever word the asker uses."""
    asked = "Can I give a bottle of wine worth EUR 40 to a civil servant in Germany?"
    assert found_in(asked) == [
        ("counterparty", "public official"),
        ("place", "DE"),
        ("amount", "EUR 40"),
    ]


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("As an intern, may I drive?", [("group", "intern")]),
        ("Can contractors claim a taxi?", [("group", "contractor")]),
        ("Must my manager approve it?", []),
        ("Can employees claim a taxi?", []),
        ("May I take a gift from my brother-in-law?", [("counterparty", "relative")]),
        ("Who performs official duties?", []),
    ],
)
def test_a_group_is_a_condition_where_it_is_asked_for(
    text: str, named: list[tuple[str, str]]
) -> None:
    """Somebody who only has a part in what is asked is none."""
    assert found_in(text) == named


def condition(
    name: str, kind: ConditionKind = ConditionKind.COUNTERPARTY, words: str = ""
) -> Condition:
    return Condition(kind=kind, words=words or name, name=name)


@pytest.mark.parametrize(
    ("asked", "text", "is_spoken_of"),
    [
        ("public official", "Nothing may be given to government officials.", True),
        ("public official", "Gifts to civil servants need consent.", True),
        ("public official", "Gifts to third parties may be worth EUR 50.", False),
        ("public official", "Cash must never be given to anyone.", True),
        ("public official", "Gifts from suppliers may be accepted.", False),
        ("supplier", "Gifts from vendors may be accepted.", True),
        ("supplier", "Gifts from any third party may be accepted.", True),
        ("supplier", "Gifts from customers may be accepted.", False),
    ],
)
def test_other_words_for_somebody_count(asked: str, text: str, *, is_spoken_of: bool) -> None:
    """What holds for anybody holds for a supplier, and for an official only where it forbids."""
    assert is_met(condition(asked), [text]) is is_spoken_of


@pytest.mark.parametrize(
    ("asked", "text", "is_spoken_of"),
    [
        (condition("contractor", ConditionKind.GROUP), "Employees may claim a taxi.", False),
        (condition("contractor", ConditionKind.GROUP), "Freelancers may claim a taxi.", True),
        (condition("contractor", ConditionKind.GROUP), "Everyone may claim a taxi.", True),
        (condition("FR", ConditionKind.PLACE, "France"), "In Germany the limit is EUR 35.", False),
        (condition("FR", ConditionKind.PLACE, "France"), "In France the limit is EUR 35.", True),
        (condition("FR", ConditionKind.PLACE, "France"), "In all countries it is EUR 35.", True),
        (condition("EUR 200", ConditionKind.AMOUNT), "Up to EUR 50 it is allowed.", True),
        (condition("EUR 200", ConditionKind.AMOUNT), "Vouchers must be declared.", False),
        (condition("weekends", ConditionKind.OTHER), "On a weekend nobody is on call.", True),
        (condition("weekends", ConditionKind.OTHER), "Nobody is on call.", False),
    ],
)
def test_each_kind_has_its_own_test(asked: Condition, text: str, *, is_spoken_of: bool) -> None:
    """A group, a place, an amount and anything else are found in their own ways."""
    assert is_met(asked, [text]) is is_spoken_of


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (
            "<https://evil.example|click> *now* <!channel> @all",
            "https evil example click now channel all",
        ),
        ("EUR 1,000.50", "EUR 1,000.50"),
        ("a\nb\u2028c", "a b c"),
        ("[x](http://y.com) `z`", "x http y com z"),
    ],
)
def test_what_is_shown_holds_no_markup(words: str, told: str) -> None:
    """Nothing of the asker's words can become a link, a mention or a format."""
    assert shown(words) == told


def test_what_is_shown_is_short() -> None:
    """At most forty characters are shown, cut between words."""
    told = shown("a very long circumstance that goes on and on " * 9)
    assert len(told) <= QUOTED
    assert told.endswith("\u2026")


@pytest.mark.parametrize(
    ("text", "group", "country"),
    [
        ("I'm an employee. May I take wine?", "employee", None),
        ("actually i am just a contractor", "contractor", None),
        ("As an intern, may I drive?", "intern", None),
        ("If I'm a contractor, may I drive?", None, None),
        ("I work for a contractor", None, None),
        ("I work in Germany. May I take wine?", None, "DE"),
        ("no, I meant France", None, "FR"),
        ("we're based in the UK", None, "GB"),
        ("Can I work in Spain?", None, None),
        ("Can I work from Spain?", None, None),
        ("I'm not in Germany", None, None),
        ("I want to travel to Spain", None, None),
    ],
)
def test_what_people_say_of_themselves(text: str, group: str | None, country: str | None) -> None:
    """Only a statement tells where and as what somebody works."""
    assert (own_group(text), own_country(text)) == (group, country)


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("What is the limit in Germany?", {"DE"}),
        ("Can I work from Spain?", set[str]()),
        ("May I stay for a month in Italy?", set[str]()),
        ("I work in Germany. Can I work from Spain?", {"DE"}),
        ("May I give wine to an official in Germany?", {"DE"}),
    ],
)
def test_a_destination_is_not_the_country_of_the_rules(text: str, codes: set[str]) -> None:
    """Where somebody goes says nothing of where they are employed."""
    assert rules_of(text) == codes
