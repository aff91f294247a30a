"""The file of a shadow run: a line for each question that was compared, so that a run goes on.

Its lines hold what people asked and were told: only its owner may read it.
"""

import json
import os
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from io import FileIO
from pathlib import Path
from typing import Any, TypeVar

from pydantic import TypeAdapter, ValidationError

from core.domain.errors import UsageError
from evals.measuring.run_files import LINES, PREVIOUS, locked
from evals.measuring.shadow.comparing import Compared

FORMAT = 1
_OWNER = 0o600


@dataclass(frozen=True, slots=True, kw_only=True)
class ShadowHeader:
    """What is held against what; two runs with equal conditions may share their lines."""

    shadow: int = FORMAT
    """Version of the file's format."""
    since: str
    """The first day, ISO 8601."""
    until: str
    """The first moment that is left out, ISO 8601; empty: the run's own start."""
    new: Mapping[str, str]
    """What is new: `corpus` (SHA-256 of its files), `reasoner`, `model`, `calibration`, `prompts`
    (SHA-256)."""
    edition: int
    """The newest edition of the deployment."""
    settings: Mapping[str, str]
    """The settings that answers depend on, as they may be shown."""
    versions: Mapping[str, str | None]
    """Of the product and its models."""
    code_sha256: str
    """Of the code that answers."""
    started_at: str
    """When, UTC, ISO 8601."""
    sampled: int | None = None
    """How many questions were drawn; None: all."""
    seed: int = 0
    """Of the lot."""

    def differences(self, other: "ShadowHeader") -> list[str]:
        """Name what makes lines of another run worthless here."""
        ignored = {"started_at", "sampled", "seed", "since", "until"}
        mine, theirs = asdict(self), asdict(other)
        return sorted(name for name in mine.keys() - ignored if mine[name] != theirs[name])


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenShadow:
    """A shadow run that goes on. Blocks: call it in a thread."""

    file: FileIO
    kept: Mapping[str, Compared] = field(default_factory=dict[str, Compared])
    """What was compared before, by record."""
    put_aside: str | None = None
    """Why lines that were there don't count; None: there were none."""

    def keep(self, compared: Compared) -> None:
        """Add a line in one write; it stays through a crash of the machine."""
        _append(self.file, compared)


Parsed = TypeVar("Parsed")
_HEADER, _LINE = TypeAdapter(ShadowHeader), TypeAdapter(Compared)


@contextmanager
def open_shadow(path: Path, header: ShadowHeader) -> Generator[OpenShadow]:
    """Open the lines of a shadow run, with what was compared before.

    Raises:
        OccupiedError: Another process writes them.
        UsageError: The file can't be written, or holds something else.
    """
    with locked(path) as file:
        path.chmod(_OWNER)
        lines = path.read_bytes().split(b"\n")[:-1]
        kept: dict[str, Compared] = {}
        put_aside: str | None = None
        if lines:
            before = _parsed(_HEADER, lines[0], place=f"{path}:1")
            if others := header.differences(before):
                aside = path.with_suffix(PREVIOUS)
                aside.write_bytes(path.read_bytes())
                aside.chmod(_OWNER)
                named = ", ".join(name.removesuffix("_sha256") for name in others)
                put_aside = f"{named} changed: all is compared anew; earlier lines are in {aside}"
                file.truncate(0)
            else:
                found = [
                    _parsed(_LINE, line, place=f"{path}:{number}")
                    for number, line in enumerate(lines[1:], start=2)
                ]
                kept = {one.record_id: one for one in found}
                file.truncate(path.read_bytes().rindex(b"\n") + 1)
        elif path.stat().st_size:
            raise UsageError(f"{path} is no shadow run: name another file")
        if put_aside or not lines:
            _append(file, header)
        yield OpenShadow(file=file, kept=kept, put_aside=put_aside)


def write_shadow(path: Path, text: str) -> None:
    """Write a finished run: all of it or nothing, for its owner alone."""
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    beside.touch(mode=_OWNER)
    beside.write_text(text + "\n", encoding="utf-8")
    beside.replace(path)


def lines_path(out: Path) -> Path:
    """Return where the lines of a run stand whose finished file is `out`."""
    return out.with_suffix(LINES)


def _append(file: FileIO, value: ShadowHeader | Compared) -> None:
    file.write(json.dumps(asdict(value), ensure_ascii=False).encode() + b"\n")
    os.fsync(file.fileno())


def _parsed(adapter: TypeAdapter[Parsed], line: bytes, *, place: str) -> Parsed:
    try:
        return adapter.validate_python(json.loads(line), strict=False)
    except (ValidationError, ValueError) as error:
        raise UsageError(f"{place} is no line of a shadow run: name another file") from error


def shadow_json(
    header: ShadowHeader, figures: Mapping[str, Any], compared: Sequence[Compared]
) -> Mapping[str, Any]:
    """Return a finished run as JSON."""
    return {
        "run": asdict(header),
        "figures": figures,
        "questions": [asdict(one) for one in compared],
    }
