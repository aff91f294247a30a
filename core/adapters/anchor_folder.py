"""Anchors of the ledger in folders outside the database: on another host, or another account's.

A folder holds `checkpoints.jsonl`, one signed note a line, which is only ever appended to, and
`keys.txt`, the public keys that signed them.
"""

import asyncio
import fcntl
import json
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from core.audit.checkpoint import PublicKey, public_keys
from core.domain.errors import ConfigError

NOTES = "checkpoints.jsonl"
KEYS = "keys.txt"
TAIL_BYTES = 65_536
"""Room for a hundred notes: the newest is read without the rest."""
TORN = re.compile(r'\{"note": "[^"]*$')
"""A line whose end was never written."""


@dataclass(frozen=True, slots=True)
class AnchorFolder:
    """One folder of anchored checkpoints."""

    folder: Path
    """Need not exist before the first checkpoint."""

    async def append(self, note: str, key: PublicKey) -> None:
        """Keep a note, and the key that signed it; on disk when this returns.

        Raises:
            OSError: It can't be written.
        """
        await asyncio.to_thread(self._append, note, key)

    async def notes(self) -> list[str]:
        """Return all notes, oldest first; none where nothing was anchored.

        Raises:
            OSError: They can't be read.
            ConfigError: The file is none of ours.
        """
        return await asyncio.to_thread(self._notes)

    async def newest(self) -> str | None:
        """Return the last note; None where there is none.

        Raises:
            OSError: It can't be read.
            ConfigError: The file is none of ours.
        """
        notes = await asyncio.to_thread(self._notes, newest=True)
        return notes[-1] if notes else None

    def signers(self) -> list[PublicKey]:
        """Return the keys that signed the notes.

        Raises:
            ConfigError: The file of the keys is none.
        """
        path = self.folder / KEYS
        return public_keys(path.read_text().splitlines()) if path.is_file() else []

    def _append(self, note: str, key: PublicKey) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        if key not in self.signers():
            _append_line(self.folder / KEYS, key.text())
        _append_line(self.folder / NOTES, json.dumps({"note": note}, ensure_ascii=False))

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


def _append_line(path: Path, line: str) -> None:
    """Add a line in one write, after whatever a crash has left of the last one."""
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
