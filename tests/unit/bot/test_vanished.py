"""Which policies have lost their file."""

from pathlib import Path
from typing import Any, cast

from bot.console.ingest.vanished import find_vanished
from core.adapters.postgres.corpus.withdrawals import PolicyFile
from core.ingest.compare import SourceFile
from core.ingest.folder_listing import FileListing, Skipped, SourceToIngest
from core.ingest.prepare import NOTHING_GIVEN
from core.language.spans import VersionId


class Known:
    """Remembers files, as the database does."""

    def __init__(self, *paths: Path) -> None:
        self._paths = paths

    async def files_below(self, folder: str) -> tuple[PolicyFile, ...]:
        return tuple(
            PolicyFile(key=path.stem, title="", path=str(path), version_id=VersionId(1))
            for path in self._paths
            if path.is_relative_to(folder)
        )


async def test_what_can_not_be_looked_at_is_not_gone(tmp_path: Path) -> None:
    """A folder that can't be read, a file that failed, one under another name; the rest is gone."""
    here = tmp_path / "here.md"
    here.write_text("# Here")
    known = Known(
        *(tmp_path / "closed" / "a.md", tmp_path / "closed.md", here, tmp_path / "renamed.md")
    )
    sources = [
        SourceToIngest(
            path=tmp_path / name,
            given=NOTHING_GIVEN,
            file=SourceFile(path=str(tmp_path / name), place=name, is_named=False),
        )
        for name in ("here.md", "new-name.md")
    ]
    listing = FileListing(
        sources=tuple(sources),
        skipped=(Skipped(path=tmp_path / "closed", reason="it can't be read"),),
        folders=(str(tmp_path), str(tmp_path)),
    )
    gone = await find_vanished(cast("Any", known), listing, [None, "renamed"])
    assert [one.key for one in gone] == ["closed"]
