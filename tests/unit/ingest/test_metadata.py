"""What a document says of itself."""

import io
from datetime import date

import pytest
from reportlab.pdfgen.canvas import Canvas

from core.ingest.load import load
from core.ingest.load.front_matter import read_yaml
from core.ingest.metadata import canonical_keys
from core.ingest.stated.dates import exact_date, parse_period
from core.ingest.stated.places import country_code


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2024-01-15", date(2024, 1, 15)),
        ("15 January 2024", date(2024, 1, 15)),
        ("1st of Feb 2024", date(2024, 2, 1)),
        ("1. März 2024", date(2024, 3, 1)),
        ("January 15, 2024", date(2024, 1, 15)),
        ("Sept. 3rd, 2024", date(2024, 9, 3)),
        ("15/01/2024", date(2024, 1, 15)),
        ("01/15/2024", date(2024, 1, 15)),
        ("02.03.2024", date(2024, 3, 2)),
        ("05/05/2024", date(2024, 5, 5)),
        ("01/02/2024", None),
        ("2024-02-30", None),
        ("upon approval", None),
        ("31 Smarch 2024", None),
    ],
)
def test_dates_are_read_only_when_they_are_certain(text: str, expected: date | None) -> None:
    period = parse_period(text)
    assert (period and (period.first, period.last)) == (expected and (expected, expected))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-01-31", date(2026, 1, 31)),
        ("31.01.2026", date(2026, 1, 31)),
        ("31 January 2026", date(2026, 1, 31)),
        ("January 31, 2026", date(2026, 1, 31)),
        ("01/02/2026", None),
        ("31.02.2026", None),
        ("from 2026-01-31", None),
        ("2026-01-31 on", None),
        ("20260131" * 9_000, None),
    ],
)
def test_a_date_alone_is_a_date_and_nothing_else(text: str, expected: date | None) -> None:
    """For options, which hold nothing else."""
    assert exact_date(text) == expected


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("Germany", "DE"),
        ("GB", "GB"),
        ("the Netherlands", "NL"),
        ("U.K.", "GB"),
        ("All countries, subject to local supplements", None),
        ("Germany and France", None),
        ("de", None),
    ],
)
def test_one_named_country_is_a_jurisdiction(text: str, code: str | None) -> None:
    assert country_code(text) == code


def test_header_table_is_read() -> None:
    document = load(
        b"# Gifts\n\n| Field | Value |\n|---|---|\n| Policy Title | Gifts and Hospitality |\n"
        b"| Policy ID | COMP-002 |\n| Version | v1.2 |\n| Policy Owner | CCO |\n"
        b"| Effective Date | 15 January 2024 |\n| Expiry date | 31 December 2024 |\n"
        b"| Applies in | Germany |\n",
        source_name="a.md",
    )
    assert document.metadata == {
        "title": "Gifts and Hospitality",
        "policy_id": "COMP-002",
        "version": "1.2",
        "owner": "CCO",
        "effective_from": "2024-01-15",
        "effective_until": "2025-01-01",
        "jurisdiction": "DE",
    }


def test_other_tables_say_nothing_of_the_document() -> None:
    document = load(
        b"# Rates\n\n| Country | Limit |\n|---|---|\n| Germany | 35 |\n", source_name="a.md"
    )
    assert document.metadata == {}


def test_labelled_lines_are_read() -> None:
    text = b"GIFTS POLICY\n\nVersion: 3.0\nOwner: Legal\nEffective from: 2025-01-01\n\nText."
    assert load(text, source_name="a.txt").metadata == {
        "version": "3.0",
        "owner": "Legal",
        "effective_from": "2025-01-01",
    }


def test_front_matter_wins_over_the_text() -> None:
    data = b"---\nversion: 2\n---\nVersion: 1\n"
    assert load(data, source_name="a.md").metadata["version"] == "2"


def test_whatever_a_document_calls_its_last_day_is_in_force() -> None:
    assert read_yaml("effective_until: 2025-01-01").values == {"effective_until": "2025-01-02"}
    assert canonical_keys([("Expiry date", "2025-01-01")]) == {"effective_until": "2025-01-02"}


def test_what_a_document_says_of_its_care_is_read() -> None:
    """Whose it is, where it stands, its class, its next review; a bare review date may be past."""
    said = read_yaml(
        "policy_url: https://policies.example.com/gifts\nclassification: Internal\n"
        "next review: 30 June 2026\nverified by: Group Legal\nreview date: 1 May 2024"
    )
    assert said.values == {
        "url": "https://policies.example.com/gifts",
        "sensitivity": "Internal",
        "review_by": "2026-06-30",
        "verified_by": "Group Legal",
    }


@pytest.mark.parametrize("name", ["a.md", "a.txt", "a.html", "a.pdf"])
def test_lines_of_a_paragraph_are_read_one_by_one(name: str) -> None:
    """No owner is called "Legal Approved by: Board", whatever flows on in that format."""
    lines = ("Owner: Legal", "Approved by: Board", "Effective date: 1 May 2026", "Class: x")
    lines = (*lines, "Classification: Internal")
    data = "Travel Policy\n\n{}\n\nOne\ntwo.\n".format("\n".join(lines)).encode()
    if name == "a.html":
        data = f"<h1>Travel Policy</h1><p>{'<br>'.join(lines)}</p>".encode()
    elif name == "a.pdf":
        buffer = io.BytesIO()
        canvas = Canvas(buffer)
        for place, line in enumerate(lines):
            canvas.drawString(70, 700 - 14 * place, line)
        canvas.save()
        data = buffer.getvalue()
    document = load(data, source_name=name)
    assert document.metadata == {
        "owner": "Legal",
        "effective_from": "2026-05-01",
        "sensitivity": "Internal",
    }
    assert name != "a.md" or "One two." in document.text


def test_german_labels_are_read() -> None:
    """In lines at the beginning; what is no country leaves open where it holds."""
    said = load(
        (
            "# Reiserichtlinie\n\nVerantwortlich: Leitung Personal\nGültig ab: 1. Januar 2026\n"
            "Gültig bis: 31.12.2027\nKlassifizierung: Vertraulich\nNächste Überprüfung: 30.6.2027\n"
            "**Geprüft von:** Rechtsabteilung\nFassung: 2.0\nGilt in: Deutschland\n"
        ).encode(),
        source_name="a.md",
    ).metadata
    assert said == {
        "owner": "Leitung Personal",
        "effective_from": "2026-01-01",
        "effective_until": "2028-01-01",
        "sensitivity": "Vertraulich",
        "review_by": "2027-06-30",
        "verified_by": "Rechtsabteilung",
        "version": "2.0",
        "jurisdiction": "DE",
    }
    assert canonical_keys([("Räumlicher Geltungsbereich", "alle Standorte in der EU")]) == {}


@pytest.mark.parametrize(
    "line",
    [
        "policy url: http://policies.example.com/",
        "policy url: https://a b.example.com/",
        "policy url: javascript:alert(1)",
        f"policy url: https://{'a' * 8_000}",
        f"classification: {'Internal ' * 20}",
        "next review: every two years",
    ],
)
def test_what_says_nothing_certain_is_left_out(line: str) -> None:
    """A sentence about a class is no class, and an address that is none leads nowhere."""
    assert read_yaml(line).values == {}
