"""One file to everything that is stored of it."""

import hashlib
from dataclasses import replace
from datetime import date
from typing import Any

import pytest

from core.ingest.metadata import NOTHING
from core.ingest.prepare import Overrides, key_of, prepare, with_metadata

POLICY = (
    b"# Gifts\n\n| Policy ID | COMP 2 |\n|---|---|\n| Version | 2.0 |\n"
    b"| Effective date | 2025-07-01 |\n\n## 1 Rule\n\nAsk.\n"
)


def test_document_speaks_where_nothing_is_given() -> None:
    prepared = prepare(POLICY, source_name="dir/gifts-v2.md")
    metadata = prepared.metadata
    assert (metadata.key, metadata.title, metadata.label) == ("comp-2", "Gifts", "2.0")
    assert metadata.effective_from == date(2025, 7, 1)
    assert prepared.source_name == "gifts-v2.md"
    assert prepared.sha256 == hashlib.sha256(POLICY).digest()
    assert prepared.chunks[-1].chunk_id == f"gifts-v2_chunk_{len(prepared.chunks) - 1:04d}"
    assert prepared.chunks[-1].text == "Ask."


def test_what_is_given_wins() -> None:
    given = Overrides(
        key="gifts",
        title="Gifts and more",
        label="3",
        owner="CCO",
        jurisdiction="DE",
        audience=frozenset({"board"}),
        tags=frozenset({"a"}),
        effective_from=date(2026, 1, 1),
        effective_until=date(2027, 1, 1),
        upload_id="u1",
    )
    metadata = prepare(POLICY, source_name="x.md", given=given).metadata
    assert given.agree_with(metadata)
    assert metadata.title == "Gifts and more"
    assert not Overrides(key="other").agree_with(metadata)
    assert Overrides().agree_with(metadata)


def test_a_document_that_says_otherwise_is_named() -> None:
    """What is given counts, and the note says what does not."""
    text = b"---\nowner: CCO\nclassification: Confidential\nreview by: 2026-01-31\n---\n\n# Gifts\n"
    given = Overrides(owner="Legal", sensitivity="confidential", review_by=date(2027, 1, 31))
    found = prepare(text, source_name="x.md", given=given)
    assert found.metadata.owner == "Legal"
    assert found.document.notes == (
        "the document says otherwise than given: owner 'CCO', review by '2026-01-31';"
        " correct either of them",
    )
    assert prepare(text, source_name="x.md").document.notes == ()


def test_an_address_that_is_given_wins_and_that_of_the_document_is_named() -> None:
    """Also where only a capital differs: these are two pages."""
    text = b"---\nurl: https://own.example.com/gifts\n---\n\n# Gifts\n"
    given = Overrides(url="https://own.example.com/Gifts")
    found = prepare(text, source_name="x.md", given=given)
    assert found.metadata.url == "https://own.example.com/Gifts"
    assert found.document.notes == (
        "the document says otherwise than given: url 'https://own.example.com/gifts';"
        " correct either of them",
    )
    same = prepare(text, source_name="x.md", given=Overrides(url="https://own.example.com/gifts"))
    assert same.document.notes == ()


def test_what_is_taken_away_is_not_there() -> None:
    """Nothing given is not the same as nothing said; it agrees with what has none."""
    text = b"---\nowner: CCO\n---\n\n# Gifts\n"
    given = Overrides(owner=NOTHING, review_by=NOTHING)
    found = prepare(text, source_name="x.md", given=given)
    assert (found.metadata.owner, found.metadata.review_by) == (None, None)
    assert given.agree_with(found.metadata)
    assert not given.agree_with(prepare(text, source_name="x.md").metadata)
    assert found.document.notes == (
        "the document says otherwise than given: owner 'CCO'; correct either of them",
    )


def notes_of(text: str, **given: Any) -> tuple[str, ...]:
    prepared = prepare(text.encode(), source_name="x.md", given=Overrides(**given))
    return with_metadata(prepared, prepared.metadata).document.notes


def test_what_can_not_be_used_is_named_until_it_is_given() -> None:
    """With the field, the cause and what to write."""
    text = "---\nreview by: 31.02.2026\n---\n\n# Gifts\n"
    assert notes_of(text) == (
        "review by '31.02.2026' is not used: there is no such day; expected a date like 2026-01-31",
    )
    assert notes_of(text, review_by=date(2026, 2, 28)) == ()


REVIEWED = (
    "# Gifts\n\n| Field | Value |\n|---|---|\n| Version | 1.2 |\n"
    "| Effective Date | 2024-01-15 |\n| **Review Date** | {} |\n"
)


def test_a_review_date_is_that_of_the_next_review_if_it_can_be() -> None:
    """One by which the document was there is not; a word that is no date says nothing."""
    text = REVIEWED.format("March 2025")
    assert notes_of(text) == ()
    assert prepare(text.encode(), source_name="x.md").metadata.review_by == date(2025, 3, 31)
    past = REVIEWED.format("2024-01-15")
    (note,) = notes_of(past)
    assert note.startswith("review date '2024-01-15' is not used: it is no later than 2024-01-15")
    assert "--review-by DATE, or review_by in citebound.toml" in note
    assert prepare(past.encode(), source_name="x.md").metadata.review_by is None
    assert notes_of(past, review_by=date(2026, 1, 15)) == ()
    later = prepare((past + "| Next review | 2027-01-15 |\n").encode(), source_name="x.md")
    assert (later.metadata.review_by, later.document.unused) == (date(2027, 1, 15), ())
    assert notes_of(REVIEWED.format("yearly")) == ()
    issued = REVIEWED.format("2025-01-15") + "| Last reviewed | 2025-01-15 |\n"
    assert prepare(issued.encode(), source_name="x.md").metadata.review_by is None


def test_a_review_date_is_not_named_where_an_earlier_version_knows_the_next() -> None:
    """What is inherited counts."""
    prepared = prepare(REVIEWED.format("2024-01-15").encode(), source_name="x.md")
    known = replace(prepared.metadata, review_by=date(2026, 1, 15))
    assert with_metadata(prepared, known).document.notes == ()


def test_without_chunks_the_rest_is_the_same() -> None:
    with_chunks = prepare(POLICY, source_name="x.md")
    without = prepare(POLICY, source_name="x.md", with_chunks=False)
    assert without.chunks == ()
    assert without.sections == with_chunks.sections


@pytest.mark.parametrize(
    ("stem", "key"),
    [
        ("gifts-v2", "gifts"),
        ("Gifts_v1.0", "gifts"),
        ("gifts version 3", "gifts"),
        ("COMP-002_anti_corruption", "comp-002-anti-corruption"),
        ("über uns", "über-uns"),
        ("v2", "v2"),
        ("ivory-v", "ivory-v"),
    ],
)
def test_key_has_no_version(stem: str, key: str) -> None:
    assert key_of(stem) == key


def test_name_stands_in_for_a_missing_title() -> None:
    metadata = prepare(b"some words, no heading.", source_name="travel_expenses-v3.txt").metadata
    assert (metadata.key, metadata.title) == ("travel-expenses", "Travel expenses")
