"""One file to everything that is stored of it."""

import hashlib
from datetime import date

import pytest

from core.ingest.prepare import Overrides, key_of, prepare

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
        "the document says otherwise than given: owner 'CCO', review by '2026-01-31'",
    )
    assert prepare(text, source_name="x.md").document.notes == ()


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
