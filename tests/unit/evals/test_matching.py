"""What counts as the right quote, and as a fact that was told."""

import pytest

from evals.measuring.matching import has_gold, tells

RULE = "Every visitor **must** wear a [badge](https://example.org/badge) from the front desk."


@pytest.mark.parametrize(
    ("gold", "quotes"),
    [
        (RULE, ["Every visitor must wear a badge from\n  the front desk."]),
        (RULE, ["Welcome. Every visitor must wear a badge from the front desk. Sign in."]),
        (RULE, ["must wear a badge from the front desk"]),
        ("- Return the key within 3 days.", ["* Return the key within 3 days."]),
        ("2. Return the key.", ["Return the key."]),
        ("| Key | 3 days |", ["|Key|3 days|"]),
        ("Return the key\u2019s ring.", ["Return the key's ring."]),
        (
            "Keep the docu-\nments of a \ufb01le for later.",
            ["Keep the documents of a file for later."],
        ),
        ("See <https://example.org/key>.", ["See https://example.org/key."]),
        (
            "Return the key to the front desk. Tell the guard about it before you leave.",
            ["Return the key to the front desk.", "Tell the guard about it before you leave."],
        ),
        (
            "The key is returned to the front desk, and nobody keeps it.",
            ["Sign out. The key is returned to the front desk", "and nobody keeps it."],
        ),
    ],
)
def test_a_quote_is_right_whatever_its_markup_and_its_cut(gold: str, quotes: list[str]) -> None:
    """Markup, line breaks, list markers and the cut between sentences do not count."""
    assert has_gold(quotes, [gold])


@pytest.mark.parametrize(
    ("gold", "quotes"),
    [
        (RULE, []),
        (RULE, [""]),
        (RULE, ["visitor"]),
        (RULE, ["Every visitor may leave the badge at home on Fridays and in summer."]),
        (
            "Requests of level 1 are answered by the desk within 24 hours.",
            ["Requests of level 2 are answered by the desk within 48 hours."],
        ),
        ("Return the key.", ["Return the keyboard."]),
        ("Nobody keeps it over night.", ["Nobody keeps it", "over the week"]),
    ],
)
def test_another_quote_is_wrong(gold: str, quotes: list[str]) -> None:
    """A word, another figure or a sentence that begins alike is no right quote."""
    assert not has_gold(quotes, [gold])


def test_any_gold_sentence_will_do() -> None:
    """One of the sentences that answer is enough."""
    assert has_gold(["Return the key."], ["Lock the door.", "Return the key."])


def test_no_gold_is_never_quoted() -> None:
    """What no document answers has no right quote."""
    assert not has_gold(["Return the key."], [])


def test_the_time_of_a_comparison_grows_with_its_text_alone() -> None:
    """A quote of a whole document is compared as any other."""
    assert not has_gold(["ab" * 100_000], ["ba c" * 100])


@pytest.mark.parametrize(
    ("fact", "texts"),
    [
        ("EUR 100", ["You may accept up to EUR 100 a year. [1]"]),
        ("EUR 1,000", ["Up to 1000 euros."]),
        ("30 days", ["It takes thirty days."]),
        ("the line manager approves", ["First, The line\nmanager approves; then you book."]),
    ],
)
def test_a_fact_is_told_in_its_words_or_its_quantity(fact: str, texts: list[str]) -> None:
    """Notation, line breaks and marks of citations do not count."""
    assert tells(texts, fact)


@pytest.mark.parametrize(
    ("fact", "texts"),
    [
        ("EUR 100", ["Up to EUR 1000."]),
        ("EUR 100", []),
        ("30 days notice", ["You have 30 days to claim."]),
        ("30 days", ["It takes 30 months."]),
        ("must be approved", ["It need not be approved."]),
    ],
)
def test_another_fact_is_not_told(fact: str, texts: list[str]) -> None:
    """Another figure, or a figure of something else, is none."""
    assert not tells(texts, fact)
