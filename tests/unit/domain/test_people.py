"""Who a text names, and as what its writer works."""

import pytest

from core.language.people import covers_everybody, mentions, names_in, own_group, synonyms


@pytest.mark.parametrize(
    ("text", "group"),
    [
        ("I'm a contractor", "contractor"),
        ("im a contractor", "contractor"),
        ("I\u2019m just an intern here", "intern"),
        ("I am currently working as an intern", "intern"),
        ("as a contractor, may I take wine?", "contractor"),
        ("And as an intern?", "intern"),
        ("We are interns", "intern"),
        ("we're contractors now", "contractor"),
        ("I work here as a freelancer", "contractor"),
        ("I am also a manager", "manager"),
        ("If I'm a contractor", None),
        ("when I am an intern", None),
        ("I'm not a contractor", None),
        ("my boss is a contractor", None),
        ("I am the manager of a contractor", None),
        ("are contractors allowed to", None),
        ("I'm dealing with a contractor", None),
        ("may I treat them as a contractor", None),
        ("I am a supplier", None),
        ("I am a contractor. She says I am an intern.", None),
        ("", None),
    ],
)
def test_a_writer_says_to_which_group_they_belong(text: str, group: str | None) -> None:
    """Plainly, of themselves, and of one group alone."""
    assert own_group(text) == group


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("from my brother-in-law", [("relative", True, "brother-in-law", "my", "from")]),
        ("on behalf of the client", [("customer", True, "client", "the", "on behalf of")]),
        ("our contractor's gift", [("contractor", False, "contractor's", "our", "")]),
        ("a board of directors", [("executive", False, "board of directors", "a", "")]),
        ("an agency worker", [("contractor", False, "agency worker", "an", "")]),
        (
            "The wives of officials",
            [
                ("relative", True, "wives", "the", ""),
                ("public official", True, "officials", "", "of"),
            ],
        ),
        (
            "Politicians and civil servants",
            [
                ("public official", True, "Politicians", "", ""),
                ("public official", True, "civil servants", "", ""),
            ],
        ),
        ("official duties, the authority to sign, a board, the press", []),
        ("suppliers2 and xsupplier", []),
    ],
)
def test_whom_a_text_names(text: str, found: list[tuple[str, bool, str, str, str]]) -> None:
    """By the longest name, with its determiner and preposition; words of other meanings do not."""
    named = mentions(text)
    assert [
        (one.name, one.is_outside, one.noun, one.determiner, one.preposition) for one in named
    ] == found
    for one in named:
        assert text[one.noun_start : one.end] == one.noun
        assert text[one.start : one.noun_start].strip().casefold() == one.determiner


@pytest.mark.parametrize(
    ("word", "name"),
    [
        ("wives", "relative"),
        ("bosses", "manager"),
        ("authorities", "authority"),
        ("employees'", "employee"),
        ("nurse\u2019s", "nurse"),
        ("coaches", None),
        ("businesses", None),
        ("government entities", "public official"),
        ("political parties", "political party"),
    ],
)
def test_a_plural_is_the_same_people(word: str, name: str | None) -> None:
    """And so is a possessive."""
    assert names_in(word) == (frozenset({name}) if name else frozenset[str]())


@pytest.mark.parametrize(
    ("text", "outside", "staff"),
    [
        ("anyone", True, True),
        ("third parties", True, False),
        ("all personnel", False, True),
        ("users", False, True),
        ("contractors", False, False),
        ("", False, False),
    ],
)
def test_who_is_everybody(text: str, *, outside: bool, staff: bool) -> None:
    """Outside, or among the staff."""
    assert covers_everybody(text, is_outside=True) is outside
    assert covers_everybody(text, is_outside=False) is staff


def test_the_words_for_a_kind_of_people() -> None:
    """Its own name first."""
    assert synonyms("buyer") == ("buyer", "procurement staff", "purchasing staff")
    assert synonyms("nobody") == ()
