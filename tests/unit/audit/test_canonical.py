"""The bytes that are hashed: one value, one sequence of bytes."""

import hashlib
import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone

import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from core.audit.canonical import (
    SALT_BYTES,
    Commitment,
    canonical,
    instant,
    is_canonical,
    leaf_hash,
)
from core.domain.errors import ContractError
from core.domain.json_value import Json

_TEXT = st.text(max_size=12)
_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(min_value=-(2**53) + 1, max_value=2**53 - 1)
    | st.floats(min_value=-1e15, max_value=1e15)
    | _TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_TEXT, inner, max_size=4),
    max_leaves=12,
)
_DOCUMENTS = st.dictionaries(_TEXT, _VALUES, max_size=5)


def _reversed(value: Json) -> Json:
    """Return the same value with the keys of every object in the opposite order."""
    if isinstance(value, dict):
        return {key: _reversed(value[key]) for key in reversed(list(value))}
    if isinstance(value, list):
        return [_reversed(item) for item in value]
    return value


@given(_DOCUMENTS)
def test_key_order_never_changes_bytes(document: dict[str, Json]) -> None:
    """However keys are ordered, at any depth, the bytes are the same."""
    turned = _reversed(document)
    assert isinstance(turned, dict)
    assert canonical(turned) == canonical(document)


@given(_DOCUMENTS)
def test_canonical_json_is_json(document: dict[str, Json]) -> None:
    """The bytes read back as JSON, and give the same bytes again."""
    data = canonical(document)
    assert canonical(json.loads(data)) == data


@pytest.mark.parametrize(
    ("document", "data"),
    [
        ({"b": 1, "a": [True, None]}, b'{"a":[true,null],"b":1}'),
        ({"\u20ac": "\u00e4"}, '{"\u20ac":"\u00e4"}'.encode()),
        ({"x": 1.0, "y": 0.1}, b'{"x":1,"y":0.1}'),
        ({"x": 0.1 + 0.2}, b'{"x":0.3}'),
        ({"x": 14.1999999999}, b'{"x":14.2}'),
        ({"x": [(0.1 + 0.2,)]}, b'{"x":[[0.3]]}'),
        ({}, b"{}"),
    ],
)
def test_known_bytes(document: dict[str, Json], data: bytes) -> None:
    """RFC 8785: sorted keys, no spaces, shortest numbers; measures to six places."""
    assert canonical(document) == data


def test_two_values_have_two_sequences() -> None:
    """A changed value changes the bytes; absent is not null."""
    documents: list[dict[str, Json]] = [{}, {"a": None}, {"a": 0}, {"a": "0"}, {"a": False}]
    assert len({canonical(document) for document in documents}) == len(documents)


@pytest.mark.parametrize(
    "value",
    [float("nan"), float("inf"), float("-inf"), 2**53 + 1, -(2**60), "\ud800", {"k": "\udfff"}],
)
def test_what_json_cannot_hold_is_refused(value: Json) -> None:
    """No number, infinity, too large an integer or half a character is written."""
    with pytest.raises(ContractError, match="canonical JSON"):
        canonical({"a": [value]})


def test_the_leaf_of_nothing() -> None:
    """RFC 6962: the leaf hash of the empty entry is SHA-256 of one zero byte."""
    assert leaf_hash(b"").hex() == (
        "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d"
    )
    assert leaf_hash(b"L123456").hex() == (
        "395aa064aa4c29f7010acfe3f25db9485bbd4b91897b6ad7ad547639252b4d56"
    )


def test_a_leaf_is_no_plain_hash() -> None:
    """The prefix keeps leaves apart from inner nodes and plain hashes."""
    assert leaf_hash(b"x") != hashlib.sha256(b"x").digest()
    assert len(leaf_hash(b"x")) == 32


GERMANY = Commitment(field="assumption", salt=b"\x00" * SALT_BYTES, body="Germany")


def test_a_commitment_is_a_salted_hash() -> None:
    """SHA-256 over salt, field, a zero byte and the text."""
    expected = hashlib.sha256(b"\x00" * 32 + b"assumption\x00Germany").hexdigest()
    assert GERMANY.digest() == expected


def test_commitments_differ_by_salt_field_and_text() -> None:
    """The same text under another salt or field can't be recognised."""
    others = [
        replace(GERMANY, salt=b"\x01" * SALT_BYTES),
        replace(GERMANY, field="question"),
        replace(GERMANY, body="germany"),
    ]
    assert len({one.digest() for one in (GERMANY, *others)}) == 4


@given(st.binary(max_size=64).filter(lambda salt: len(salt) != SALT_BYTES))
def test_a_short_salt_is_refused(salt: bytes) -> None:
    """A salt has 32 bytes, so that a short text can't be guessed."""
    with pytest.raises(ContractError, match="salt of 32 bytes"):
        replace(GERMANY, salt=salt).digest()


def test_an_instant_is_written_in_utc() -> None:
    """RFC 3339 with microseconds, whatever the zone it came in."""
    at = datetime(2026, 1, 15, 9, 30, tzinfo=UTC)
    assert instant(at) == "2026-01-15T09:30:00.000000Z"
    assert instant(at.astimezone(timezone(timedelta(hours=5)))) == instant(at)


def test_an_instant_has_a_zone() -> None:
    """A time without a zone is no instant."""
    with pytest.raises(ContractError, match="aware"):
        instant(datetime(2026, 1, 15))  # noqa: DTZ001  # what is refused


NUMBERS = (
    st.integers(-(2**53) + 1, 2**53 - 1)
    | st.floats(-(2**53) + 1, 2**53 - 1)
    | st.sampled_from([0.0, -0.0, 1e-7, 1e-6, 1e21, 3.0, 5e-324, 0.1])
)
TREES = st.recursive(
    NUMBERS | st.booleans() | st.none() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(st.dictionaries(st.text(), TREES, max_size=5))
def test_what_is_canonical_is_what_the_rules_write(document: dict[str, Json]) -> None:
    """The quick way says the same as RFC 8785, of this and of other ways to write a document."""
    data = rfc8785.dumps(document)  # pyright: ignore[reportArgumentType]
    assert is_canonical(data)
    for other in (
        json.dumps(document),
        json.dumps(document, separators=(",", ":"), ensure_ascii=False),
        json.dumps(dict(reversed(document.items())), separators=(",", ":"), ensure_ascii=False),
    ):
        told = other.encode(errors="replace")
        assert is_canonical(told) == (told == data)


NOT_CANONICAL = (
    b"", b"[]", b'"a"', b"1", b"{}x", b'{"a":1,"a":1}', b'{"b":1,"a":2}', b'{"a": 1}',
    b'{"a":1.0}', b'{"a":1e0}', b'{"a":-0}', b'{"a":0.10}', b'{"a":NaN}', b'{"a":"\\u0041"}',
    b'{"a":1e-5}', b'{"a":1e16}', b'{"a":[-2.0]}', b'{"a":"\\/"}', b'{"a":"\xff"}',
    b'{"a":9007199254740993}', b'\xef\xbb\xbf{}', b'{"a":{"c":1,"b":[{"z":1,"y":2}]}}',
    '{"\ue000":1,"\U0001f600":2}'.encode(), b"[" * 100_000,
)  # fmt: skip


@pytest.mark.parametrize("data", NOT_CANONICAL)
def test_what_is_not_canonical_is_told(data: bytes) -> None:
    assert not is_canonical(data)


@pytest.mark.parametrize("data", [b'{"a":1.0}', b'{"a":1e-5}', b'{"a":1e16}', b'{"b":1,"a":2}'])
def test_the_quick_writer_is_asked_only_where_all_write_alike(
    data: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A writer that took any of these for its own could not make it canonical."""

    def echo(_: object) -> bytes:
        return data

    monkeypatch.setattr("core.audit.canonical.to_json", echo)
    assert not is_canonical(data)
