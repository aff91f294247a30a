"""What is known of a folder's policies: its `citebound.toml`.

Each mistake there is a usage error that names the line, where it has one. Rules:
- the file holds `[[policy]]` tables, and above them `ignore`, `key_prefix` and `url_base`, and
  nothing else;
- `ignore` lists patterns of names (`*.png`), `key_prefix` stands before keys that nobody gives,
  `url_base` before the path of each file: that is where it is read, unless its `[[policy]]` has a
  `url`, and whatever the document itself says;
  all hold for the folder and those in it;
- `file` is required, lies in the folder and is named once per version;
- other fields are those of `Overrides`, with TOML's own dates, and none longer than a document may
  say it (`length_problem`);
- it is in UTF-8, with or without a byte order mark.
"""

import os
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path
from typing import Any, NoReturn, cast

from core.domain.errors import UsageError
from core.domain.policy import first_day_without
from core.ingest.metadata import A_LINK, is_link, length_problem, shown
from core.ingest.prepare import Overrides, key_of

MANIFEST = "citebound.toml"
_TABLE = re.compile(r"\s*\[\[\s*policy\s*\]\]")
_WORDS = (
    *("key", "label", "title", "owner", "jurisdiction", "upload_id"),
    *("url", "sensitivity", "verified_by"),
)
_LISTS = ("audience", "tags")
_DATES = ("effective_from", "effective_until", "review_by")
_FIELDS = ("file", *_WORDS, *_LISTS, *_DATES)
_CANDIDATES = 3
"""Lines that may be the one of a mistake, of which each is checked."""
_CODE = re.compile(r"[A-Z]{2}(-[A-Z0-9]{1,3})?")


@dataclass(frozen=True, slots=True, kw_only=True)
class ManifestEntry:
    """One `[[policy]]` table."""

    path: Path
    """The file, in the manifest's folder."""
    given: Overrides
    """What is said of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """What `citebound.toml` says."""

    entries: tuple[ManifestEntry, ...] = ()
    """Its `[[policy]]` tables, in order."""
    ignore: tuple[str, ...] = ()
    """Patterns of names that are passed over without a word."""
    key_prefix: str | None = None
    """See `Overrides.key_prefix`."""
    url_base: str | None = None
    """Address below which the folder's files are read, by their paths."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Table:
    manifest: Path
    source: str
    number: int
    values: Mapping[str, Any]

    def refuse(self, field: str, message: str) -> NoReturn:
        line = _line_of(self.source, table=self.number, field=field)
        raise UsageError(f"{self.manifest}: line {line}: {message}")


def read_manifest(folder: Path) -> Manifest:
    """Return the folder's manifest; an empty one if it has none.

    Raises:
        UsageError: The manifest has a mistake; the message names its line, or can't be read.
    """
    manifest = folder / MANIFEST
    try:
        data = manifest.read_bytes()
    except FileNotFoundError:
        return Manifest()
    except OSError as error:
        raise UsageError(
            f"{manifest}: it can't be read ({error.strerror}): check its permissions"
        ) from error
    source = _decoded(manifest, data)
    try:
        content = tomllib.loads(source)
    except (ValueError, RecursionError) as error:  # ValueError: also a number of very many digits
        raise UsageError(f"{manifest}: {error}") from error
    tables: Any = content.pop("policy", [])
    top = _Table(manifest=manifest, source=source, number=-1, values=content)
    ignore, key_prefix = content.pop("ignore", []), content.pop("key_prefix", None)
    url_base = content.pop("url_base", None)
    if content or not _is_list_of_tables(tables):
        name = next(iter(content), "policy")
        line = _top_line(source, name)
        raise UsageError(
            f"{manifest}: {f'line {line}: ' if line else ''}expected ignore, key_prefix, url_base,"
            f" and then [[policy]] tables and nothing else, got {shown(name)}"
        )
    return Manifest(
        entries=tuple(
            _entry(_Table(manifest=manifest, source=source, number=number, values=values))
            for number, values in enumerate(cast("list[dict[str, Any]]", tables))
        ),
        ignore=_patterns(top, ignore),
        key_prefix=_prefix(top, key_prefix),
        url_base=None if url_base is None else _link(top, "url_base", url_base),
    )


def _decoded(manifest: Path, data: bytes) -> str:
    """Return the manifest's text, without the byte order mark that some editors write."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise UsageError(
            f"{manifest}: line {line}: it is not in UTF-8: save it with the encoding UTF-8"
        ) from error


def _patterns(top: _Table, value: object) -> tuple[str, ...]:
    items = _items(value) or ([] if value == [] else [None])
    if not all(isinstance(item, str) and item.strip() for item in items):
        top.refuse("ignore", f'expected a list like ignore = ["*.png"], got {shown(value)}')
    if any("/" in str(item) for item in items):
        top.refuse("ignore", "expected patterns of names, without folders")
    return tuple(str(item).strip() for item in items)


def _items(value: object) -> list[object]:
    """Return what a list holds; nothing if it is none."""
    return cast("list[object]", value) if isinstance(value, list) else []


def _prefix(top: _Table, value: object) -> str | None:
    if value is None:
        return None
    if not isinstance(value, str) or not key_of(value):
        top.refuse("key_prefix", f'expected a word like key_prefix = "de", got {shown(value)}')
    return value.strip()


def _is_list_of_tables(value: object) -> bool:
    return isinstance(value, list) and all(
        isinstance(item, dict) for item in cast("list[object]", value)
    )


def _entry(table: _Table) -> ManifestEntry:
    unknown = next((name for name in table.values if name not in _FIELDS), None)
    if unknown is not None:
        table.refuse(
            unknown, f"unknown field {shown(unknown)}; expected one of {', '.join(_FIELDS)}"
        )
    given: dict[str, Any] = {}
    for name, value in table.values.items():
        if name != "file":
            given[name] = _value(table, name, value)
    return ManifestEntry(path=_file(table), given=Overrides(**given))


def _file(table: _Table) -> Path:
    name: Any = table.values.get("file")
    if not isinstance(name, str) or not name.strip():
        table.refuse("file", 'expected file = "NAME" in each [[policy]]')
    folder = table.manifest.parent
    path = folder / name
    if not Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder)):
        table.refuse("file", f"{shown(name)} lies outside the folder of the manifest")
    if not path.is_file():
        table.refuse("file", f"there is no file {shown(name)}")
    return path


def _value(table: _Table, name: str, value: object) -> object:
    if name in _DATES:
        if isinstance(value, datetime) or not isinstance(value, date):
            table.refuse(name, f"expected a date like {name} = 2026-01-31, got {shown(value)}")
        return first_day_without(value) if name == "effective_until" else value
    if name in _LISTS:
        items = _items(value)
        if not items or not all(isinstance(item, str) and item.strip() for item in items):
            table.refuse(name, f'expected a list like {name} = ["finance"], got {shown(value)}')
        return frozenset(str(item).strip() for item in items)
    if not isinstance(value, str) or not value.strip():
        table.refuse(name, f"expected text in quotes, got {shown(value)}")
    if name == "url":
        return _link(table, name, value)
    if name == "jurisdiction" and not _CODE.fullmatch(value):
        table.refuse(name, f"expected an ISO 3166 code like DE, got {shown(value)}")
    if problem := length_problem(name, value.strip()):
        table.refuse(name, f"{problem}, got {shown(value)}")
    return value.strip()


def _link(table: _Table, name: str, value: object) -> str:
    if isinstance(value, str) and (problem := length_problem("url", value.strip())):
        table.refuse(name, f"{problem}, got {shown(value)}")
    if not isinstance(value, str) or not is_link(value.strip()):
        table.refuse(name, f"expected {A_LINK}, got {shown(value)}")
    return value.strip()


def _top_line(source: str, name: str) -> int | None:
    """Return the line of a field or table at the top; None if it can't be told for certain."""
    named = re.compile(rf"\s*+(?:\[\[?\s*+)?[\"']?{re.escape(name)}[\"']?\s*+[=.\]]")
    lines = source.split("\n")
    candidates = [place for place, line in enumerate(lines) if named.match(line)]
    for place in candidates[:_CANDIDATES]:
        try:
            above = tomllib.loads("\n".join(lines[:place]))
        except (ValueError, RecursionError):  # it stands in a text of several lines
            continue
        is_key = not lines[place].lstrip().startswith("[")
        if not (is_key and _has_tables(above)):
            return place + 1
    return None


def _has_tables(content: Mapping[str, Any]) -> bool:
    """Return whether something was opened with a head in brackets: a key below is of that."""
    return any(
        isinstance(each, dict) or (each and _is_list_of_tables(each)) for each in content.values()
    )


def _line_of(source: str, *, table: int, field: str) -> int:
    """Return the line of a field of the nth table, or of the head of a table without that field."""
    head, seen = 1, -1
    named = re.compile(rf"\s*+[\"']?{re.escape(field)}[\"']?\s*+=")
    for number, line in enumerate(source.splitlines(), start=1):
        if _TABLE.match(line):
            seen += 1
            head = number if seen == table else head
        elif seen == table and named.match(line):
            return number
    return head
