"""Policy text as a colleague would write it, checked against the same words."""

import pytest

from core.agent.stages.verify import verify
from core.domain.answer import Check, Citation, Claim, Draft
from core.domain.evidence import Evidence
from core.language.phrasing import (
    item_sentence,
    phrase,
    plain,
    readings,
    row_sentence,
    sentence,
)
from tests.factories import make_item


@pytest.mark.parametrize(
    ("stored", "said"),
    [
        ("**Cash** is _never_ accepted.", "Cash is never accepted."),
        (
            "See [the form](https://forms.example/a?b=c) in `travel_desk`.",
            "See the form in travel_desk.",
        ),
        ("Claims \\- within 30 days \\(at most\\).", "Claims - within 30 days (at most)."),
        ("## Who approves", "Who approves"),
        (
            "{{#hasWifi}}{{companyShortName}} rotates keys.[^2]",
            "[company short name] rotates keys.",
        ),
        ('Ask in {% channel "travel" %} first.{% endif %}', "Ask in travel first."),
        ("Section {{1}} applies.", "Section {{1}} applies."),
        ("Ask<br>your <b>manager</b> first", "Ask your manager first"),
        ("\uf0b7 Keep re\u00adceipts\ufffd", "Keep receipts"),
        ("less than 5 < 10 * 2", "less than 5 < 10 2"),
    ],
)
def test_marks_of_markup_are_not_words(stored: str, said: str) -> None:
    """What a loader left of Markdown, HTML or a font is taken out; every word stays."""
    assert plain(phrase(stored)) == said


@pytest.mark.parametrize(
    ("stored", "said"),
    [
        ("- minibar, pay television and spa;", "minibar, pay television and spa."),
        ("(b) a loan; and", "a loan."),
        ("4. Cash is refused", "Cash is refused."),
        ("ii. Access must be logged,", "Access must be logged."),
        ("A: No, it is not.", "No, it is not."),
        ("1.5 days a month", "1.5 days a month."),
        ("30 days' notice is given", "30 days' notice is given."),
        ("A. Smith approves claims", "A. Smith approves claims."),
        ("e.g. a taxi", "e.g. a taxi."),
        ("- ;", ";"),
        (
            "\u201cGift\u201d means \u201canything of value.\u201d",
            "\u201cGift\u201d means \u201canything of value.\u201d",
        ),
    ],
)
def test_an_item_ends_as_a_sentence(stored: str, said: str) -> None:
    """Without its marker and without what joined it to the next one; numbers and names stay."""
    assert sentence(stored) == said


def test_an_item_is_said_with_what_introduces_it() -> None:
    """Its lead-in comes first, so that it never stands alone."""
    lead_in = "3.2. The following are **not** reimbursed:"
    assert item_sentence(lead_in, "- minibar; and") == "The following are not reimbursed: minibar."


@pytest.mark.parametrize(
    ("header", "row", "said"),
    [
        (
            "City | Hotel, GBP per night | Meals",
            "London | 190 | 150",
            "London: hotel GBP 190 per night; meals 150.",
        ),
        ("City | Hotel rate (EUR)", "Paris | up to 210", "Paris: hotel rate up to EUR 210."),
        ("| City | Hotel |", "| London | \u00a3190 |", "London: hotel \u00a3190."),
        (
            "Approver | Amount",
            "line manager | up to EUR 500",
            "Approver: line manager; Amount: up to EUR 500.",
        ),
        ("Grade | Limit", "3 | EUR 500", "Grade 3: limit EUR 500."),
        ("Term | Definition", "Gift | Anything of value.", "Gift: Anything of value."),
        ("Item | VAT", "Taxi | included", "Taxi \u2013 VAT: included."),
        ("Vehicle | Germany | Fee", "Car | EUR 1 | 2", "Car \u2013 Germany: EUR 1; Fee: 2."),
        ("Item | Germany", "Taxi | EUR 9", "Taxi \u2013 Germany: EUR 9."),
        ("Item | Fee CFO", "Taxi | up to 5", "Taxi: fee CFO up to 5."),
        ("City", "London | 190", "London; 190."),
    ],
)
def test_a_row_is_said_as_a_sentence(header: str, row: str, said: str) -> None:
    """Columns name their cells; no rule of the table is left."""
    assert row_sentence(header, row) == said
    assert "|" not in said


def _failed(text: str, *quotes: str) -> list[Check]:
    items = [make_item(quote, key=f"c{n}", start=1_000 * n) for n, quote in enumerate(quotes, 1)]
    cited = tuple(Citation(key=one.key, span=one.span, quote=one.text) for one in items)
    verified = verify(
        Draft(claims=(Claim(text=text, citations=cited),)),
        Evidence(items=tuple(items)),
        stored={one.span: one.text for one in items},
        role_names=(),
    )
    return [verdict.check for verdict in verified.verdicts if not verdict.passed]


def test_what_is_worded_here_passes_its_checks() -> None:
    """A claim is held against its quotes as they read, so its wording drops no right one."""
    header, row = "City | Hotel, GBP per night", "London | 190"
    assert _failed(row_sentence(header, row), header, row) == []
    marked = "You _must_ [register](https://gifts.example/x) gifts over **EUR 50** within 30 days."
    assert _failed(sentence(marked), marked) == []
    lead_in, item = "Employees must not accept:", "- gifts over EUR 50; or"
    assert _failed(item_sentence(lead_in, item), lead_in, item) == []


def test_the_wording_lets_nothing_else_through() -> None:
    """Another number, another currency and the opposite still fail."""
    header, row = "City | Hotel, GBP per night", "London | 190"
    assert Check.NUMBERS in _failed("London: hotel EUR 190 per night.", header, row)
    assert Check.NUMBERS in _failed("London: hotel GBP 200 per night.", header, row)
    lead_in, item = "Employees must not accept:", "- gifts over EUR 50; or"
    assert Check.MODALITY in _failed("Employees may accept gifts over EUR 50.", lead_in, item)


def test_readings_join_what_belongs_together() -> None:
    """An item reads under the lead-in before it, a row under its header, others by themselves."""
    assert readings(["Not paid:", "- minibar;"])[-1] == "Not paid: minibar."
    assert readings(["Cash is refused.", "- minibar;"]) == ["Cash is refused.", "minibar."]


def test_readings_join_a_whole_chain() -> None:
    """What introduces a list within a list stands before it, a heading too; a bullet is none."""
    chain = ["Not paid:", "a. fines:", "i. for parking;"]
    assert readings(chain)[-1] == "Not paid: fines: for parking."
    assert readings(["5.4. Personal costs", "- spa;"])[-1] == "Personal costs: spa."
    assert readings(["- fines", "- spa;"]) == ["fines.", "spa."]
