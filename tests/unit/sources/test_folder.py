"""A folder that is followed: what can't be looked at, what leads out of it, what changes."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from core.adapters.sources.folder import FolderConnector
from core.domain.errors import ConfigError, DocumentError, TransientError
from core.ingest import folder_listing
from core.sources.connector import ChangePage, ListingEnd, SourceItem


async def listed(folder: Path) -> tuple[dict[str, SourceItem], set[str], ListingEnd]:
    """Return documents by path, files that are none, and the end."""
    items: dict[str, SourceItem] = {}
    others: set[str] = set()
    async for part in FolderConnector(folder).changes(since=None, cursor=None):
        if isinstance(part, ListingEnd):
            return items, others, part
        assert isinstance(part, ChangePage)
        items |= {one.path: one for one in part.items}
        others |= {one.path for one in part.others}
    raise AssertionError("a listing has an end")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two policies, one of them deeper, with a picture."""
    found = tmp_path / "house"
    (found / "deeper").mkdir(parents=True)
    for name in ("gifts.md", "deeper/travel.md", "logo.png"):
        (found / name).write_text("# Text")
    return found


def refusing(monkeypatch: pytest.MonkeyPatch, name: str, error: OSError) -> None:
    """Let no folder of this name be read, nor a file in it: to root none is closed."""
    look = Path.iterdir
    opened: Any = Path.open

    def refused(path: Path) -> Iterator[Path]:
        if path.name == name:
            raise error
        return look(path)

    def unopened(path: Path, *given: Any, **more: Any) -> Any:
        if path.parent.name == name:
            raise error
        return opened(path, *given, **more)

    monkeypatch.setattr(Path, "iterdir", refused)
    monkeypatch.setattr(Path, "open", unopened)


async def test_what_lies_in_a_closed_folder_is_not_gone(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The listing is not whole, so that nothing that it misses is taken for deleted."""
    items, others, end = await listed(folder)
    assert (set(items), others) == ({"gifts.md", "deeper/travel.md"}, {"logo.png"})
    assert end.is_whole
    with monkeypatch.context() as patched:
        refusing(patched, "deeper", PermissionError(13, "Permission denied"))
        items, _, end = await listed(folder)
        assert "check its permissions" in str(items["deeper"].problem)
        assert not end.is_whole
    with monkeypatch.context() as patched:
        refusing(patched, "house", PermissionError(13, "Permission denied"))
        with pytest.raises(ConfigError, match="check its permissions"):
            await listed(folder)


async def test_a_mount_that_is_stale_is_tried_again(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The system's own error is one line with what to do."""

    def stale(_: Path) -> bool:
        raise OSError(116, "Stale file handle")

    monkeypatch.setattr(Path, "is_dir", stale)
    with pytest.raises(TransientError, match=r"Stale file handle.: look at its mount"):
        await listed(folder)


async def test_files_that_are_swapped_or_written_meanwhile(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A link out of the folder, a pipe, what grows and what is too large: none is read."""
    items, _, _ = await listed(folder)
    gifts, connector, path = items["gifts.md"], FolderConnector(folder), folder / "gifts.md"
    (tmp_path / "secret.md").write_text("# Secret")

    async def refused() -> str:
        with pytest.raises(DocumentError) as caught:
            await connector.fetch(gifts)
        return str(caught.value)

    path.unlink()
    path.symlink_to(tmp_path / "secret.md")
    assert "leaves the folder" in await refused()
    path.unlink()
    os.mkfifo(path)
    assert "not a regular file" in await refused()
    path.unlink()
    assert "No such file" in await refused()
    path.write_text("# Text")
    with monkeypatch.context() as patched:
        patched.setattr(folder_listing, "MAX_BYTES", 3)
        assert "over the limit" in await refused()

    def is_regular(_: int) -> bool:
        path.write_text("# Text, longer")
        return True

    monkeypatch.setattr(stat, "S_ISREG", is_regular)
    assert "changed while it was read" in await refused()
