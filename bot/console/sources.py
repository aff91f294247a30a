"""Which files a `citebound ingest PATH...` means, in which order, and what is known of each."""

import dataclasses
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from bot.console.manifest import MANIFEST, read_manifest
from core.domain.errors import EmptyCorpusError, UsageError
from core.ingest.prepare import NOTHING_GIVEN, Overrides

SUFFIXES = frozenset(
    {".pdf", ".docx", ".md", ".markdown", ".html", ".htm", ".xhtml", ".txt", ".text"}
)
"""Files of a folder that are read; a file that is named itself is always tried."""
OF_ONE_POLICY = ("key", "title", "label", "upload_id")
"""Fields that can't hold for several files."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """One file to ingest."""

    path: Path
    """Where it is."""
    given: Overrides
    """What is known of it."""


def find_sources(paths: Sequence[Path], *, given: Overrides) -> list[Source]:
    """Return the files in the order given, each once.

    Of a folder, what its manifest names comes first; its other files follow by name.

    Raises:
        UsageError: A path does not exist, a manifest has a mistake, or a field of one policy is
            given to several files.
        EmptyCorpusError: There is no file of a readable kind.
    """
    found: dict[tuple[Path, Overrides], Source] = {}
    for path in paths:
        for source in _sources_at(path):
            merged = dataclasses.replace(source, given=_merged(source.given, given))
            found.setdefault((source.path.resolve(), merged.given), merged)
    sources = list(found.values())
    if not sources:
        kinds = ", ".join(sorted(SUFFIXES))
        raise EmptyCorpusError(f"there is nothing to ingest: expected files named {kinds}")
    named = next((name for name in OF_ONE_POLICY if getattr(given, name) is not None), None)
    if named is not None and len(sources) > 1:
        option = "--" + named.replace("_", "-")
        raise UsageError(
            f"{option} names one policy, but there are {len(sources)} files:"
            f" give one file, or say it in {MANIFEST}"
        )
    return sources


def _sources_at(path: Path) -> Iterator[Source]:
    if path.is_dir():
        yield from _sources_in(path)
    elif path.exists():
        yield Source(path=path, given=NOTHING_GIVEN)
    else:
        raise UsageError(f"there is no file or folder {str(path)!r}")


def _sources_in(folder: Path) -> Iterator[Source]:
    entries = read_manifest(folder)
    for entry in entries:
        yield Source(path=entry.path, given=entry.given)
    listed = {entry.path.resolve() for entry in entries}
    try:
        children = sorted(folder.iterdir())
    except OSError as error:
        raise UsageError(f"{folder} can't be read: {error.strerror}") from error
    for child in children:
        if child.name.startswith(".") or child.resolve() in listed:
            continue
        if child.is_dir() and not child.is_symlink():
            yield from _sources_in(child)
        elif child.is_file() and child.suffix.lower() in SUFFIXES:
            yield Source(path=child, given=NOTHING_GIVEN)


def _merged(manifest: Overrides, options: Overrides) -> Overrides:
    """Let options win over the manifest."""
    stated = {field.name: getattr(options, field.name) for field in dataclasses.fields(options)}
    return dataclasses.replace(
        manifest, **{name: value for name, value in stated.items() if value is not None}
    )
