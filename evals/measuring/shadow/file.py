"""The file of a shadow run: a line for each question that was compared, so that a run goes on.

Its lines hold what people asked and were told: only its owner may read it.
"""

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, ClassVar

from pydantic import TypeAdapter

from evals.measuring.results import Conditions, Lines, read_lines
from evals.measuring.run_files import OpenLines, open_lines
from evals.measuring.shadow.comparing import Compared

FORMAT = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class ShadowHeader(Conditions):
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
    sampled: int | None = None
    """How many questions were drawn; None: all."""
    seed: int = 0
    """Of the lot."""

    ignored: ClassVar[frozenset[str]] = frozenset(
        {"started_at", "sampled", "seed", "since", "until"}
    )
    inside: ClassVar[frozenset[str]] = frozenset({"settings", "versions"})


def open_shadow(path: Path, header: ShadowHeader) -> AbstractContextManager[OpenLines[Compared]]:
    """Open the lines of a shadow run, with what was compared before; see `open_lines`."""

    def read(path: Path) -> Lines[ShadowHeader, Compared]:
        return read_lines(path, TypeAdapter(ShadowHeader), TypeAdapter(Compared), by="shadow")

    return open_lines(path, header, read=read, is_private=True)


def shadow_json(
    header: ShadowHeader, figures: Mapping[str, Any], compared: Sequence[Compared]
) -> Mapping[str, Any]:
    """Return a finished run as JSON."""
    return {
        "run": asdict(header),
        "figures": figures,
        "questions": [asdict(one) for one in compared],
    }
