"""Which files a `citebound ingest PATH...` means, in which order, and what is known of each.

What is known of a folder's policies stands in its manifest (`folder_manifest`).
"""

import dataclasses
import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from urllib.parse import quote

from core.domain.errors import DocumentError, EmptyCorpusError, UsageError
from core.domain.policy import ENDINGS
from core.ingest.compare import SourceFile
from core.ingest.file_kinds import FileKind, is_aside, kind_of, unread_reason
from core.ingest.folder_manifest import MANIFEST, read_manifest
from core.ingest.load import MAX_BYTES
from core.ingest.prepare import NOTHING_GIVEN, Overrides

OF_ONE_POLICY = ("key", "title", "label", "upload_id", "url")
"""Fields that can't hold for several files."""
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
    hides: bool = False
    """True: it could not be looked at, and what lies in it is not known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OtherFile:
    """A file of a folder that is never a policy: see `file_kinds`."""

    path: Path
    """Where it is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileListing:
    """What some paths mean."""

    sources: tuple[SourceToIngest, ...]
    """Files to ingest, each once, in order."""
    skipped: tuple[Skipped, ...]
    """What was left out, and not by a rule of the manifest."""
    folders: tuple[str, ...]
    """Absolute paths of the folders among the paths."""
    others: tuple[Path, ...] = ()
    """Files that are never a policy."""


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
    listing = list_files(paths, given=given)
    if not listing.sources:
        raise EmptyCorpusError(_nothing(listing))
    named = next((name for name in OF_ONE_POLICY if getattr(given, name) is not None), None)
    if named is not None and len(listing.sources) > 1:
        option = "--" + named.replace("_", "-")
        raise UsageError(
            f"{option} names one policy, but there are {len(listing.sources)} files:"
            f" give one file, or say it in {MANIFEST}"
        )
    return listing


def list_files(paths: Sequence[Path], *, given: Overrides) -> FileListing:
    """Return the same of paths that may hold nothing that is read.

    Raises:
        UsageError: A path does not exist, or a manifest has a mistake.
    """
    found: dict[tuple[str, Overrides], SourceToIngest] = {}
    skipped: dict[Path, Skipped] = {}
    others: dict[Path, None] = {}
    for path in paths:
        for each in _at(path):
            if isinstance(each, OtherFile):
                others[each.path] = None
                continue
            if isinstance(each, Skipped):
                skipped.setdefault(each.path, each)
                continue
            merged = dataclasses.replace(each, given=_merged(each.given, given))
            place = (os.path.realpath(each.path), merged.given)
            if place not in found or merged.file.is_named:
                found[place] = merged
    folders = tuple(dict.fromkeys(str(absolute(path)) for path in paths if path.is_dir()))
    return FileListing(
        sources=tuple(found.values()),
        skipped=tuple(skipped.values()),
        folders=folders,
        others=tuple(others),
    )


def other_kinds(count: int) -> str:
    """Say how many files were left out that are never a policy."""
    return f"{count} file{'s' * (count != 1)} of other kinds left out (pictures, archives and such)"


def read_file(path: Path) -> bytes:
    """Read a file, unless it is too large to be worth it.

    Raises:
        DocumentError: It can't be read, or is being written.
    """
    try:
        # A pipe that nobody writes to would be waited for.
        opened = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(opened, "rb") as file:
            before = os.fstat(file.fileno())
            if not stat.S_ISREG(before.st_mode):
                raise DocumentError("it is not a regular file: give a file or a folder")
            data = file.read(MAX_BYTES + 1)
            after = os.fstat(file.fileno())
    except OSError as error:
        raise DocumentError(
            f"it can't be read ({error.strerror}): check its permissions"
        ) from error
    if len(data) > MAX_BYTES:
        raise DocumentError(
            f"{after.st_size / 1024 / 1024:.0f} MB is over the limit of {MAX_BYTES >> 20} MB:"
            " split it or leave out images"
        )
    if (before.st_mtime_ns, before.st_size) != (after.st_mtime_ns, after.st_size):
        raise DocumentError("it changed while it was read: try again once it is complete")
    return data


def _at(path: Path) -> Iterator[SourceToIngest | Skipped | OtherFile]:
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

    def entries(
        self, folder: Path, above: _Rules
    ) -> Iterator[SourceToIngest | Skipped | OtherFile]:
        """Yield files and what is left out; rules of the folders above hold on."""
        try:
            children = sorted(folder.iterdir())
        except OSError as error:
            yield Skipped(path=folder, reason=_unread_folder(error), hides=True)
            return
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
        for child in children:
            is_passed = is_aside(child.name) or _matches(child, rules.ignore)
            if is_passed or os.path.realpath(child) in self._listed:
                continue
            if kind_of(child.name) is FileKind.OTHER and _is_file(child):
                yield OtherFile(path=child)
                continue
            left_out = _left_out(child, root=self._root)
            if left_out is not None:
                yield left_out
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


def _left_out(path: Path, *, root: Path) -> Skipped | None:
    """Return why something in a folder is not read; None: it is."""
    if not _is_storable(path):
        return Skipped(path=path, reason="its name is not Unicode: rename it")
    try:
        reason = _kind_problem(path) or link_problem(path, root)
    except OSError as error:
        return Skipped(path=path, reason=_unread_folder(error), hides=True)
    return None if reason is None else Skipped(path=path, reason=reason)


def _unread_folder(error: OSError) -> str:
    return f"it can't be accessed ({error.strerror}): check its permissions"


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:
        return False


def _kind_problem(path: Path) -> str | None:
    is_link = path.is_symlink()
    if is_link and path.is_dir():
        return "a link to a folder is not followed: name the folder itself"
    if path.is_dir():
        return None
    if not path.exists():
        return "a broken link" if is_link else "it is gone"
    if not path.is_file():
        return "it is not a file"
    return None if kind_of(path.name) is FileKind.READ else unread_reason(path.name)


def link_problem(path: Path, root: Path) -> str | None:
    """Return why a link is not followed; None: it leads to a place within the folder.

    Whoever may put a link into a folder need not be one who may read where it leads.
    """
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


def _nothing(listing: FileListing) -> str:
    skipped = listing.skipped
    said = f"there is nothing to ingest: expected files named {', '.join(sorted(ENDINGS))}"
    if listing.others:
        said += f"; {other_kinds(len(listing.others))}"
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
