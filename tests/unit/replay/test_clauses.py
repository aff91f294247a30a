"""What became of a quoted stretch is told by its words, not by its place."""

import pytest

from core.domain.affected import ClauseChange
from core.language.spans import TextSpan
from core.replay.clauses import StoredSection, StoredText, after_change, change_of

LIMIT = "Employees may accept gifts up to EUR 50."
REPORT = "Others are reported."


def stored(*sections: tuple[str, str, str]) -> StoredText:
    """Return a version made of sections: eid, heading, text."""
    text, made = "", list[StoredSection]()
    for eid, heading, body in sections:
        start = len(text)
        text += f"{heading}\n"
        body_start = len(text)
        text += f"{body}\n\n"
        number, _, title = heading.partition(" ")
        made.append(
            StoredSection(
                eid=eid,
                number=number,
                title=title,
                char_start=start,
                body_start=body_start,
                char_end=len(text),
            )
        )
    return StoredText(text=text, sections=tuple(made))


OLD = stored(
    ("sec_1", "1 Scope", "All employees."),
    ("sec_2", "2 Limits", ""),
    ("sec_2__sec_2.1", "2.1 Gifts", LIMIT),
    ("sec_2__sec_2.2", "2.2 Reports", REPORT),
    ("sec_3", "3 Cash", "No cash."),
)
SPAN = TextSpan(char_start=OLD.text.index(LIMIT), char_end=OLD.text.index(LIMIT) + len(LIMIT))
MOVED = stored(
    ("sec_1", "1 Purpose", "Fairness."),
    ("sec_2", "2 Cash", "Cash is not accepted."),
    ("sec_3", "3 Limits", ""),
    ("sec_3__sec_3.1", "3.1 Gifts", LIMIT.replace(" up ", "\n  up ")),
    ("sec_3__sec_3.2", "3.2 Reports", REPORT),
)


@pytest.mark.parametrize(
    ("new", "expected"),
    [
        (OLD, None),
        (MOVED, None),
        (stored(("sec_2", "2.1 Gifts", LIMIT.replace("50", "30"))), ClauseChange.CHANGED),
        (stored(("sec_1", "1 Scope", "All employees.")), ClauseChange.REMOVED),
        (
            stored(("sec_2", "2 Limits", ""), ("sec_2__a", "2.1 Gifts", f"{LIMIT} Except cash.")),
            ClauseChange.AMENDED,
        ),
        (
            stored(
                ("sec_2", "2 Limits", ""),
                ("sec_2__a", "2.1 Gifts", LIMIT),
                ("sec_2__b", "2.2 Reports", REPORT),
                ("sec_2__c", "2.3 Officials", "2.1 does not hold for officials."),
            ),
            ClauseChange.AMENDED,
        ),
        (stored(("sec_9", "9 All", f"{LIMIT} {REPORT}")), ClauseChange.AMENDED),
    ],
    ids=["same", "moved", "changed", "removed", "exception", "beside", "merged"],
)
def test_what_became_of_it(new: StoredText, expected: ClauseChange | None) -> None:
    """An exception within or beside the section counts; a new number or place does not."""
    assert change_of(SPAN, OLD, new) is expected


def test_a_heading_says_nothing_of_what_is_stored_beside_the_text() -> None:
    """An answer about owner or version quotes a heading: any other version affects it."""
    heading = TextSpan(char_start=0, char_end=len("1 Scope"))
    assert change_of(heading, OLD, MOVED) is ClauseChange.CHANGED
    longer = stored(*[("sec_1", "1 Scope", "All employees.")], ("sec_2", "2 New", "New."))
    assert change_of(heading, OLD, longer) is ClauseChange.AMENDED


def test_only_an_amended_quote_stands() -> None:
    """The others can't be read any more as they were quoted."""
    assert [one for one in ClauseChange if one.quote_stands] == [ClauseChange.AMENDED]


@pytest.mark.parametrize(
    ("new", "after"),
    [
        (
            stored(("a", "2.1 Gifts", "Be fair. Employees may accept gifts up to EUR 30 a year.")),
            "Employees may accept gifts up to EUR 30 a year.",
        ),
        (stored(("a", "2.1 Gifts", "No gifts. Keep a list.")), "No gifts. Keep a list."),
        (
            stored(("a", "2.1 Gifts", LIMIT), ("b", "2.2 Officials", "2.1 is not for officials.")),
            None,
        ),
        (
            stored(
                ("sec_2", "2 Limits", ""),
                ("sec_2__a", "2.1 Gifts", LIMIT),
                ("sec_2__b", "2.2 Officials", "Clause 2.1 is not for officials."),
                ("sec_2__c", "2.3 Reports", REPORT),
            ),
            "Clause 2.1 is not for officials.",
        ),
        (
            stored(("sec_2", "2 Limits", ""), ("sec_2__a", "2.1 Gifts", f"{LIMIT} Except cash.")),
            "Except cash.",
        ),
        (stored(("sec_1", "1 Scope", "All employees.")), None),
    ],
)
def test_what_stands_there_now(new: StoredText, after: str | None) -> None:
    """The words in place of the quote, in whole sentences; or what was added around it."""
    change = change_of(SPAN, OLD, new)
    assert change is not None
    assert after_change(SPAN, OLD, new, change) == after


def test_a_long_section_is_compared_around_the_quote() -> None:
    """Of a section of many words those near the quote count, and the time stays in bounds."""
    filler = " ".join(f"Word {number} of many." for number in range(2_000))
    old = stored(("a", "2.1 Gifts", f"{filler} {LIMIT} {filler}"))
    new = stored(("a", "2.1 Gifts", f"{filler} {LIMIT.replace('50', '30')} {filler}"))
    begin = old.text.index(LIMIT)
    span = TextSpan(char_start=begin, char_end=begin + len(LIMIT))
    after = after_change(span, old, new, ClauseChange.CHANGED)
    assert after == LIMIT.replace("50", "30")
