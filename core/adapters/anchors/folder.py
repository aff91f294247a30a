"""Anchors in folders: on another host, or another account's.

A folder holds `checkpoints.jsonl`, one signed note a line, which is only ever appended to, and
`keys.txt`, the public keys that signed them.
"""

import asyncio
import fcntl
import json
import os
import re
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from core.audit.checkpoint import PublicKey, public_keys
from core.domain.errors import ConfigError, TransientError

NOTES = "checkpoints.jsonl"
KEYS = "keys.txt"
TAIL_BYTES = 65_536
"""Room for a hundred notes: the newest is read without the rest."""
TORN = re.compile(r'\{"note": "[^"]*$')
"""A line whose end was never written."""


@dataclass(frozen=True, slots=True)
class FolderAnchor:
    """See `core.audit.anchors.ReadableAnchor`: gets each checkpoint."""

    folder: Path
    """Need not exist before the first checkpoint."""
    kind: str = "folder"
    pace_s: float = 0.0

    @property
    def name(self) -> str:
        """See `Anchor.name`."""
        return str(self.folder)

    async def publish(self, note: str, /) -> None:
        """See `Anchor.publish`: on disk when this returns."""
        async with _reached(self.folder):
            line = json.dumps({"note": note}, ensure_ascii=False)
            await asyncio.to_thread(_append_line, self.folder / NOTES, line)

    async def notes(self) -> list[str]:
        """See `ReadableAnchor.notes`."""
        async with _reached(self.folder):
            return await asyncio.to_thread(self._notes)

    async def newest(self) -> str | None:
        """See `Anchor.newest`."""
        async with _reached(self.folder):
            notes = await asyncio.to_thread(self._notes, newest=True)
            return notes[-1] if notes else None

    async def signers(self) -> list[PublicKey]:
        """See `ReadableAnchor.signers`."""
        async with _reached(self.folder):
            return await asyncio.to_thread(self._signers)

    async def keep_key(self, key: PublicKey, /) -> None:
        """See `ReadableAnchor.keep_key`."""
        async with _reached(self.folder):
            if key not in await asyncio.to_thread(self._signers):
                await asyncio.to_thread(_append_line, self.folder / KEYS, key.line())

    def _signers(self) -> list[PublicKey]:
        path = self.folder / KEYS
        return public_keys(path.read_text().splitlines()) if path.is_file() else []

    def _notes(self, *, newest: bool = False) -> list[str]:
        path = self.folder / NOTES
        if not path.is_file():
            return []
        with path.open("rb") as file:
            past = file.seek(0, os.SEEK_END) - TAIL_BYTES
            is_cut = newest and past > 0
            file.seek(past if is_cut else 0)
            lines = file.read().decode(errors="replace").split("\n")
        return _parsed(lines[1:] if is_cut else lines, path)


@asynccontextmanager
async def _reached(folder: Path) -> AsyncGenerator[None]:
    try:
        yield
    except OSError as error:
        raise TransientError(f"the anchor {folder} can't be reached: {error.strerror}") from error


def _append_line(path: Path, line: str) -> None:
    """Add a line in one write, after whatever a crash has left of the last one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("ab") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        if not _ends_with_newline(path):
            file.write(b"\n")
        file.write(line.encode() + b"\n")
        file.flush()
        os.fsync(file.fileno())


def _ends_with_newline(path: Path) -> bool:
    with path.open("rb") as file:
        if file.seek(0, os.SEEK_END) == 0:
            return True
        file.seek(-1, os.SEEK_END)
        return file.read(1) == b"\n"


def _parsed(lines: Sequence[str], path: Path) -> list[str]:
    notes: list[str] = []
    for n, line in enumerate(lines, start=1):
        if not line:
            continue
        try:
            notes.append(str(json.loads(line)["note"]))
        except (ValueError, KeyError, TypeError):
            if not TORN.match(line):
                raise ConfigError(f"{path}, line {n}, is no checkpoint") from None
            # A process died while it wrote: the next checkpoint covers this one.
    return notes
