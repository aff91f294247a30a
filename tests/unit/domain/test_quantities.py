import time

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from core.language.quantities import missing_quantities, quantities


def _forms(text: str) -> list[str]:
    return [quantity.canonical for quantity in quantities(text)]


@pytest.mark.parametrize(
    ("form", "texts"),
    [
        (
            "EUR 1000",
            ["EUR 1,000", "1000 euros", "\u20ac1.000", "1 000 EUR", "EUR 1k", "1.000,00 EUR"],
        ),
        ("USD 50", ["$50", "$50.00", "50 US dollars", "USD 50", "\\$50 USD", "fifty dollars"]),
        ("GBP 50", ["\u00a350", "50 pounds"]),
        ("5 %", ["5%", "5 %", "five percent", "5 per cent", "**5%**"]),
        ("30 day", ["30 days", "thirty days", "thirty (30) days", "30-day", "30 calendar days"]),
        ("1 month", ["one month", "1 month"]),
        ("24 hour", ["24 hours", "twenty-four hours", "24h"]),
        ("5 business_day", ["five (5) business days", "5 working days", "the fifth business day"]),
        ("2024-01-15", ["2024-01-15", "15 January 2024", "January 15, 2024", "15.01.2024"]),
        ("--03-31", ["March 31st", "31 March"]),
        ("17:00", ["5 p.m.", "17:00", "5:00 pm"]),
        ("section 4.2", ["section 4.2", "\u00a7 4.2", "Sec. 4.2"]),
        ("150200", ["one hundred and fifty thousand two hundred", "150,200"]),
        ("comp-002", ["COMP-002"]),
    ],
)
def test_one_form_for_every_notation(form: str, texts: list[str]) -> None:
    """However it is written, a quantity has one canonical form."""
    for text in texts:
        assert _forms(text) == [form], text


@pytest.mark.parametrize(
    ("text", "forms"),
    [
        ("sections 4.2, 5.2 and 5.4", ["section 4.2", "section 5.2", "section 5.4"]),
        ("EUR 50-100", ["EUR 50", "EUR 100"]),
        ("$1,001 to $10,000", ["USD 1001", "USD 10000"]),
        ("5 to 10 days", ["5 day", "10 day"]),
        ("thirty (60) days", ["30 day", "60 day"]),
        ("twice, no one, one of them", []),
        ("in section 4 may", ["section 4"]),
        ("section 4 and 30 days", ["section 4", "30 day"]),
    ],
)
def test_several_quantities(text: str, forms: list[str]) -> None:
    """Lists and ranges hold several quantities; pronouns hold none."""
    assert _forms(text) == forms


@pytest.mark.parametrize(
    ("claim", "source", "missing"),
    [
        ("The limit is 1000 euros.", "a limit of EUR 1,000", []),
        ("The limit is 1000 dollars.", "a limit of EUR 1,000", ["1000 dollars"]),
        ("Within 30 days.", "within one month", ["30 days"]),
        ("Within 5 days.", "within 5 working days", ["5 days"]),
        ("By 31 March.", "by 31 March 2025", []),
        ("By 31 March 2025.", "by 31 March", ["31 March 2025"]),
        ("In 2024.", "since 15 January 2024", []),
        ("See section 4.2.", "4.2 Limits\nText", []),
        ("See section 4.3.", "4.2 Limits\nText", ["section 4.3"]),
        ("Two gifts.", "at most 2 gifts", []),
        ("Within two weeks.", "within 14 days", []),
        ("Within two weeks.", "within 15 days", ["two weeks"]),
        ("240 hours of leave.", "a maximum of 240 annual leave hours", []),
        ("Up to 26 unpaid weeks.", "up to 26 weeks, unpaid", []),
        ("Take a new one.", "Take it.", []),
        ("It takes 1.5 hours.", "It takes one and a half days.", ["1.5 hours"]),
        ("After 15 years.", "15+ years", []),
        ("Three gifts.", "at most 2 gifts", ["Three"]),
    ],
)
def test_quantities_of_a_claim_are_held_to_the_source(
    claim: str, source: str, missing: list[str]
) -> None:
    """A unit must not change; a date may say less than the source, not more."""
    assert [quantity.raw for quantity in missing_quantities(claim, [source])] == missing


_WORDS = st.sampled_from(
    "EUR $ % days business hours section Rule one thirty (30) 5 1,000 4.2 2024 January of to - COMP-1 k".split()  # noqa: E501, SIM905
)


@given(st.lists(_WORDS, max_size=12).map(" ".join))
def test_every_digit_is_read(text: str) -> None:
    """No digit of a text escapes, and spans give the raw text."""
    read = {
        place
        for quantity in quantities(text)
        for place in range(quantity.span.char_start, quantity.span.char_end)
    }
    assert {place for place, character in enumerate(text) if character.isdecimal()} <= read
    assert all(quantity.span.of(text) == quantity.raw for quantity in quantities(text))


@given(st.text(max_size=80))
def test_every_digit_of_any_text_is_read(text: str) -> None:
    """The same for any Unicode; reading never fails, and a text misses nothing of itself."""
    read = [quantity.span for quantity in quantities(text)]
    for place, character in enumerate(text):
        if character.isdecimal():
            assert any(span.char_start <= place < span.char_end for span in read)
    assert missing_quantities(text, [text]) == ()


@given(
    st.lists(_WORDS, max_size=8).map(" ".join),
    st.integers(min_value=0, max_value=10**7),
    st.sampled_from(["{} gifts", "EUR {}", "{} %", "{} days", "{}", "section {}"]),
)
def test_an_added_number_is_found(source: str, number: int, form: str) -> None:
    """A claim with a number that its source does not have is always found out."""
    added = form.format(number)
    assume(not set(_forms(added)) & set(_forms(source)))
    assume(str(number) not in source and _forms(added))
    assert missing_quantities(f"{source}. And {added}.", [source])


@pytest.mark.parametrize(
    "piece", ["1 ", "1,000 ", "one ", "EUR 1 000 ", "section 4, ", "1.", "a-", "thirty ("]
)
def test_time_is_linear(piece: str) -> None:
    """A long text of any pattern is read in about linear time."""
    began = time.process_time()
    quantities(piece * 4_000)
    assert time.process_time() - began < 5


def test_the_question_s_figures_are_no_claims_of_the_policy() -> None:
    """What the asker said is known; what nobody said is not."""
    source = "Gifts above EUR 50 need approval."
    asked = "May I keep a gift of EUR 80?"
    assert missing_quantities("A gift of EUR 80 needs approval.", [source], asked=asked) == ()
    assert missing_quantities("A gift of EUR 90 needs approval.", [source], asked=asked)
