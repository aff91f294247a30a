"""Which files a `citebound ingest PATH...` means, in which order, and what is known of each.

What is known of a folder's policies stands in its manifest (`folder_manifest`).
"""

import dataclasses
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from urllib.parse import quote

from core.domain.errors import EmptyCorpusError, UsageError
from core.domain.policy import ENDINGS, READABLE
from core.ingest.compare import SourceFile
from core.ingest.folder_manifest import MANIFEST, read_manifest
from core.ingest.prepare import NOTHING_GIVEN, Overrides

SUFFIXES = frozenset(ENDINGS)
"""Files of a folder that are read; a file that is named itself is always tried."""
OF_ONE_POLICY = ("key", "title", "label", "upload_id", "url")
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
        yield from _Folder(path).entries(path, _Rules())
    elif not path.exists():
        raise UsageError(f"there is no file or folder {str(path)!r}")
    elif not _is_storable(path):
        raise UsageError(f"the name of {str(path)!r} is not valid Unicode: rename it")
    else:
        file = SourceFile(path=str(absolute(path)), place=path.name, is_named=True)
        yield SourceToIngest(path=path, given=NOTHING_GIVEN, file=file)


@dataclass(frozen=True, slots=True, kw_only=True)
class _UrlBase:
    """Where the files of a folder are read."""

    folder: Path
    url: str

    def of(self, path: Path) -> str:
        """Return where a file is read."""
        return f"{self.url.rstrip('/')}/{quote(path.relative_to(self.folder).as_posix())}"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Rules:
    """What the manifests of a folder and of those above it say of all their files."""

    ignore: tuple[str, ...] = ()
    key_prefix: str | None = None
    url_base: _UrlBase | None = None


class _Folder:
    """Goes through a folder that was named, and all folders in it."""

    def __init__(self, root: Path) -> None:
        self._root = absolute(root)
        self._listed: set[str] = set()
        """Files that a manifest has named, at whatever depth: what it says of them counts."""

    def entries(self, folder: Path, above: _Rules) -> Iterator[SourceToIngest | Skipped]:
        """Yield files and what is left out; rules of the folders above hold on."""
        manifest = read_manifest(folder)
        base = _UrlBase(folder=absolute(folder), url=manifest.url_base or "")
        rules = _Rules(
            ignore=(*above.ignore, *manifest.ignore),
            key_prefix=manifest.key_prefix or above.key_prefix,
            url_base=base if manifest.url_base else above.url_base,
        )
        for entry in manifest.entries:
            if os.path.realpath(entry.path) not in self._listed:
                yield self._source(entry.path, entry.given, rules)
        self._listed |= {os.path.realpath(entry.path) for entry in manifest.entries}
        try:
            children = sorted(folder.iterdir())
        except OSError as error:
            yield Skipped(path=folder, reason=f"it can't be read: {error.strerror}")
            return
        for child in children:
            if _matches(child, (*_ASIDE, *rules.ignore)) or os.path.realpath(child) in self._listed:
                continue
            reason = _why_not(child, root=self._root)
            if reason is not None:
                yield Skipped(path=child, reason=reason)
            elif child.is_dir():
                yield from self.entries(child, rules)
            else:
                yield self._source(child, NOTHING_GIVEN, rules)

    def _source(self, path: Path, given: Overrides, rules: _Rules) -> SourceToIngest:
        lies = absolute(path)
        url = given.url or (rules.url_base.of(lies) if rules.url_base else None)
        place = self._root.name / lies.relative_to(self._root)
        return SourceToIngest(
            path=path,
            given=dataclasses.replace(given, key_prefix=rules.key_prefix, url=url),
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
    return unreadable(suffix)


def unreadable(suffix: str) -> str | None:
    """Return why files that end so are not read; None: they are."""
    if suffix.lower() in SUFFIXES:
        return None
    kind = f"named {suffix}" if suffix else "without an ending"
    return f"files {kind} are not read: save it as {READABLE}"


def is_aside(name: str) -> bool:
    """Return whether file managers, editors or we ourselves put such a file beside policies."""
    return any(fnmatchcase(name, pattern) for pattern in _ASIDE)


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
