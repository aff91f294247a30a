"""Which files a `citebound ingest PATH...` means, in which order, and what is known of each.

What is known of a folder's policies stands in its `citebound.toml`. Each mistake there is a usage
error that names the line. Rules:
- the file holds `[[policy]]` tables, and above them `ignore` and `key_prefix`, and nothing else;
- `ignore` lists patterns of names (`*.png`), `key_prefix` stands before keys that nobody gives;
  both hold for the folder and those in it;
- `file` is required, lies in the folder and is named once per version;
- other fields are those of `Overrides`, with TOML's own dates.
"""

import dataclasses
import os
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, NoReturn, cast

from core.domain.errors import EmptyCorpusError, UsageError
from core.domain.policy import ENDINGS, READABLE
from core.ingest.compare import SourceFile
from core.ingest.prepare import NOTHING_GIVEN, Overrides, key_of

MANIFEST = "citebound.toml"
SUFFIXES = frozenset(ENDINGS)
"""Files of a folder that are read; a file that is named itself is always tried."""
OF_ONE_POLICY = ("key", "title", "label", "upload_id")
"""Fields that can't hold for several files."""
_ASIDE = (".*", "~$*", MANIFEST, "Thumbs.db", "desktop.ini")
"""What file managers, editors and we ourselves put beside policies: passed over without a word."""
_SHOWN = 3
"""Files left out that an error names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceToIngest:
    """One file to ingest."""

    path: Path
    """Where it is."""
    given: Overrides
    """What is known of it."""
    file: SourceFile
    """Where it lies, as it is remembered."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Skipped:
    """Something in a folder that is not read."""

    path: Path
    """Where it is."""
    reason: str
    """Cause and cure, one line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileListing:
    """What some paths mean."""

    sources: tuple[SourceToIngest, ...]
    """Files to ingest, each once, in order."""
    skipped: tuple[Skipped, ...]
    """What was left out, and not by a rule of the manifest."""
    folders: tuple[str, ...]
    """Absolute paths of the folders among the paths."""


def absolute(path: Path) -> Path:
    """Return the path from the root; links stay, as folders may change behind them."""
    return Path(os.path.normpath(path.absolute()))


def find_sources(paths: Sequence[Path], *, given: Overrides) -> FileListing:
    """Return the files in the order given, each once, and what was left out.

    Of a folder, what its manifest names comes first; its other files follow by name.

    Raises:
        UsageError: A path does not exist, a manifest has a mistake, or a field of one policy is
            given to several files.
        EmptyCorpusError: There is no file of a readable kind.
    """
    found: dict[tuple[str, Overrides], SourceToIngest] = {}
    skipped: dict[Path, Skipped] = {}
    for path in paths:
        for each in _at(path):
            if isinstance(each, Skipped):
                skipped.setdefault(each.path, each)
                continue
            merged = dataclasses.replace(each, given=_merged(each.given, given))
            place = (os.path.realpath(each.path), merged.given)
            if place not in found or merged.file.is_named:
                found[place] = merged
    sources = tuple(found.values())
    if not sources:
        raise EmptyCorpusError(_nothing(list(skipped.values())))
    named = next((name for name in OF_ONE_POLICY if getattr(given, name) is not None), None)
    if named is not None and len(sources) > 1:
        option = "--" + named.replace("_", "-")
        raise UsageError(
            f"{option} names one policy, but there are {len(sources)} files:"
            f" give one file, or say it in {MANIFEST}"
        )
    folders = tuple(dict.fromkeys(str(absolute(path)) for path in paths if path.is_dir()))
    return FileListing(sources=sources, skipped=tuple(skipped.values()), folders=folders)


def _at(path: Path) -> Iterator[SourceToIngest | Skipped]:
    if path.is_dir():
        yield from _Folder(path).entries(path, ignore=(), key_prefix=None)
    elif not path.exists():
        raise UsageError(f"there is no file or folder {str(path)!r}")
    elif not _is_storable(path):
        raise UsageError(f"the name of {str(path)!r} is not valid Unicode: rename it")
    else:
        file = SourceFile(path=str(absolute(path)), place=path.name, is_named=True)
        yield SourceToIngest(path=path, given=NOTHING_GIVEN, file=file)


class _Folder:
    """Goes through a folder that was named, and all folders in it."""

    def __init__(self, root: Path) -> None:
        self._root = absolute(root)
        self._listed: set[str] = set()
        """Files that a manifest has named, at whatever depth: what it says of them counts."""

    def entries(
        self, folder: Path, *, ignore: tuple[str, ...], key_prefix: str | None
    ) -> Iterator[SourceToIngest | Skipped]:
        """Yield files and what is left out; rules of the folders above hold on."""
        manifest = read_manifest(folder)
        ignore, key_prefix = (*ignore, *manifest.ignore), manifest.key_prefix or key_prefix
        for entry in manifest.entries:
            if os.path.realpath(entry.path) not in self._listed:
                yield self._source(entry.path, entry.given, key_prefix)
        self._listed |= {os.path.realpath(entry.path) for entry in manifest.entries}
        try:
            children = sorted(folder.iterdir())
        except OSError as error:
            yield Skipped(path=folder, reason=f"it can't be read: {error.strerror}")
            return
        for child in children:
            if _matches(child, (*_ASIDE, *ignore)) or os.path.realpath(child) in self._listed:
                continue
            reason = _why_not(child, root=self._root)
            if reason is not None:
                yield Skipped(path=child, reason=reason)
            elif child.is_dir():
                yield from self.entries(child, ignore=ignore, key_prefix=key_prefix)
            else:
                yield self._source(child, NOTHING_GIVEN, key_prefix)

    def _source(self, path: Path, given: Overrides, key_prefix: str | None) -> SourceToIngest:
        lies = absolute(path)
        place = self._root.name / lies.relative_to(self._root)
        return SourceToIngest(
            path=path,
            given=dataclasses.replace(given, key_prefix=key_prefix),
            file=SourceFile(path=str(lies), place=place.as_posix(), is_named=False),
        )


def _why_not(path: Path, *, root: Path) -> str | None:
    """Return why something in a folder is not read; None: it is."""
    if not _is_storable(path):
        return "its name is not Unicode: rename it"
    try:
        return _kind_problem(path) or _link_problem(path, root)
    except OSError as error:
        return f"it can't be looked at: {error.strerror}"


def _kind_problem(path: Path) -> str | None:
    is_link, suffix = path.is_symlink(), path.suffix.lower()
    if is_link and path.is_dir():
        return "a link to a folder is not followed: name the folder itself"
    if path.is_dir():
        return None
    if not path.exists():
        return "a link that leads nowhere" if is_link else "it is gone"
    if not path.is_file():
        return "it is no file"
    if suffix in SUFFIXES:
        return None
    kind = f"named {suffix}" if suffix else "without an ending"
    return f"files {kind} are not read: save it as {READABLE}"


def _link_problem(path: Path, root: Path) -> str | None:
    """Whoever may put a link into a folder need not be one who may read where it leads."""
    if Path(os.path.realpath(path)).is_relative_to(os.path.realpath(root)):
        return None
    return "a link that leaves the folder is not followed: name the file that it leads to"


def _is_storable(path: Path) -> bool:
    try:
        str(path).encode()
    except UnicodeEncodeError:
        return False
    return True


def _matches(path: Path, patterns: Sequence[str]) -> bool:
    return any(fnmatchcase(path.name, pattern) for pattern in patterns)


def _nothing(skipped: Sequence[Skipped]) -> str:
    said = f"there is nothing to ingest: expected files named {', '.join(sorted(SUFFIXES))}"
    if not skipped:
        return said
    named = ", ".join(f"{each.path.name} ({each.reason})" for each in skipped[:_SHOWN])
    more = f" and {len(skipped) - _SHOWN} more" if len(skipped) > _SHOWN else ""
    return f"{said}; left out: {named}{more}"


def _merged(manifest: Overrides, options: Overrides) -> Overrides:
    """Let options win over the manifest."""
    stated = {field.name: getattr(options, field.name) for field in dataclasses.fields(options)}
    return dataclasses.replace(
        manifest, **{name: value for name, value in stated.items() if value is not None}
    )


_TABLE = re.compile(r"\s*\[\[\s*policy\s*\]\]")
_WORDS = ("key", "label", "title", "owner", "jurisdiction", "upload_id")


_LISTS = ("audience", "tags")
_DATES = ("effective_from", "effective_until")


_FIELDS = ("file", *_WORDS, *_LISTS, *_DATES)
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
        UsageError: The manifest has a mistake; the message names its line.
    """
    manifest = folder / MANIFEST
    try:
        source = manifest.read_text(encoding="utf-8")
        content = tomllib.loads(source)
    except FileNotFoundError:
        return Manifest()
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UsageError(f"{manifest}: {error}") from error
    tables: Any = content.pop("policy", [])
    top = _Table(manifest=manifest, source=source, number=-1, values=content)
    ignore, key_prefix = content.pop("ignore", []), content.pop("key_prefix", None)
    if content or not _is_list_of_tables(tables):
        found = f", got {next(iter(content))!r}" if content else ""
        raise UsageError(
            f"{manifest}: line 1: expected ignore, key_prefix, and then [[policy]] tables"
            f" and nothing else{found}"
        )
    return Manifest(
        entries=tuple(
            _entry(_Table(manifest=manifest, source=source, number=number, values=values))
            for number, values in enumerate(cast("list[dict[str, Any]]", tables))
        ),
        ignore=_patterns(top, ignore),
        key_prefix=_prefix(top, key_prefix),
    )


def _patterns(top: _Table, value: object) -> tuple[str, ...]:
    items = cast("list[object]", value) if isinstance(value, list) else [None]
    if not all(isinstance(item, str) and item.strip() for item in items):
        top.refuse("ignore", f'expected a list like ignore = ["*.png"], got {value!r}')
    if any("/" in str(item) for item in items):
        top.refuse("ignore", "expected patterns of names, without folders")
    return tuple(str(item).strip() for item in items)


def _prefix(top: _Table, value: object) -> str | None:
    if value is None:
        return None
    if not isinstance(value, str) or not key_of(value):
        top.refuse("key_prefix", f'expected a word like key_prefix = "de", got {value!r}')
    return value.strip()


def _is_list_of_tables(value: object) -> bool:
    return isinstance(value, list) and all(
        isinstance(item, dict) for item in cast("list[object]", value)
    )


def _entry(table: _Table) -> ManifestEntry:
    unknown = next((name for name in table.values if name not in _FIELDS), None)
    if unknown is not None:
        table.refuse(unknown, f"unknown field {unknown!r}; expected one of {', '.join(_FIELDS)}")
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
        table.refuse("file", f"{name!r} lies outside the folder of the manifest")
    if not path.is_file():
        table.refuse("file", f"there is no file {name!r}")
    return path


def _value(table: _Table, name: str, value: object) -> object:
    if name in _DATES:
        if isinstance(value, datetime) or not isinstance(value, date):
            table.refuse(name, f"expected a date like {name} = 2026-01-31, got {value!r}")
        return value
    if name in _LISTS:
        items = cast("list[object]", value) if isinstance(value, list) else []
        if not items or not all(isinstance(item, str) and item.strip() for item in items):
            table.refuse(name, f'expected a list like {name} = ["finance"], got {value!r}')
        return frozenset(str(item).strip() for item in items)
    if not isinstance(value, str) or not value.strip():
        table.refuse(name, f"expected text in quotes, got {value!r}")
    if name == "jurisdiction" and not _CODE.fullmatch(value):
        table.refuse(name, f"expected an ISO 3166 code like DE, got {value!r}")
    return value.strip()


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
