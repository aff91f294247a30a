"""Printed numbers."""

import pytest

from core.ingest.numbering import parse_label, roman_value


@pytest.mark.parametrize(
    ("line", "number", "rest"),
    [
        ("1. Purpose", "1", "Purpose"),
        ("2.1 Scope", "2.1", "Scope"),
        ("5.1. Submission", "5.1", "Submission"),
        ("9.3.1B.Guidance.5. Text", "9.3.1B.Guidance.5", "Text"),
        ("1.1.1.(1) The AML", "1.1.1.(1)", "The AML"),
        ("4.2.1(3) Where", "4.2.1(3)", "Where"),
        ("2.Guidance", "2.Guidance", ""),
        ("Article 4", "Article 4", ""),
        ("ARTICLE 4 - Gifts", "ARTICLE 4", "Gifts"),
        ("Annex A: Examples", "Annex A", "Examples"),
        ("Part 6", "Part 6", ""),
        ("Chapter 2. Customers", "Chapter 2", "Customers"),
        ("§ 4 Geschenke", "§ 4", "Geschenke"),
        ("Artikel 4: Geschenke", "Artikel 4", "Geschenke"),
        ("Anlage B Muster", "Anlage B", "Muster"),
        ("IV. Confidentiality", "IV", "Confidentiality"),
        ("A. Mandatory Disclosure", "A", "Mandatory Disclosure"),
    ],
)
def test_number_and_rest_are_told_apart(line: str, number: str, rest: str) -> None:
    label = parse_label(line)
    assert label is not None
    assert (label.number, line[label.length :]) == (number, rest)


@pytest.mark.parametrize(
    "line",
    [
        "",
        "Purpose",
        "(a) first",
        "- dot",
        "2024 was",
        "article 4 of",
        "I am",
        "1) one",
        "Partly 6",
        "A",
    ],
)
def test_other_lines_carry_no_number(line: str) -> None:
    assert parse_label(line) is None


def test_roman_numerals() -> None:
    assert [roman_value(numeral) for numeral in ("I", "IV", "IX", "XIV", "XL")] == [1, 4, 9, 14, 40]


def test_numbers_of_an_annex_are_below_it() -> None:
    label = parse_label("A.2 Periods")
    annex = parse_label("Annex A")
    assert label is not None
    assert annex is not None
    assert (label.number, label.parts) == ("A.2", ("A", "2"))
    assert label.extends(annex)
