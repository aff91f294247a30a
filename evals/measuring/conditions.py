"""With what a run was made: what its file's first line says."""

import asyncio
import platform
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, fields
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import Any

import core
from bot.console.views.terminal import to_json
from core.adapters.system import SystemClock
from core.agent.prompts.choice import labels_of
from core.config.models import ModelSettings
from core.config.retrieval import RetrievalSettings
from core.config.settings import Settings, shown_value
from core.models import NoReader, find_guard, find_reader, open_embedders, prompts_of
from core.ports import Reader
from core.retrieval.serving_embedder import NoEmbedder
from evals.measuring.corpora import QuestionSource, corpus_sha256
from evals.measuring.questions import UNREVIEWED, LabelledQuestion
from evals.measuring.results import RunHeader

_ANSWERING, _GRADING = Path(core.__file__).parent, Path(__file__).parent
_SUFFIXES = frozenset({".py", ".md", ".json"})
"""Of what answers depend on beside the models: code, prompts, lists."""
_GIT_S = 10.0


def header_of(
    questions: Sequence[LabelledQuestion],
    *,
    name: str,
    settings: Settings,
    source: QuestionSource,
    options: Mapping[str, Any],
) -> RunHeader:
    """Return what a run is made with. Blocks on the files that it hashes.

    Raises:
        ConfigError: A model that the settings name can't be used.
    """
    return RunHeader(
        questions=name,
        questions_sha256=_sha256_of(questions),
        corpus_sha256=corpus_sha256(questions, source),
        options=options,
        commit=commit(),
        **asyncio.run(conditions_of(settings)),
        unreviewed=sum(one.review == UNREVIEWED for one in questions),
    )


async def conditions_of(settings: Settings) -> dict[str, Any]:
    """Return the fields of `Conditions`.

    Raises:
        ConfigError: A model that the settings name can't be used.
    """
    return {
        "settings": await asyncio.to_thread(bearing_settings, settings),
        "versions": await versions_of(settings),
        "code_sha256": await asyncio.to_thread(code_sha256),
        "started_at": SystemClock().now().isoformat(timespec="seconds"),
    }


def _sha256_of(questions: Iterable[LabelledQuestion]) -> str:
    lines = [to_json(asdict(question), indent=None) for question in questions]
    return sha256("\n".join(lines).encode()).hexdigest()


def bearing_settings(settings: Settings) -> dict[str, str]:
    """Return the settings that answers depend on, as they may be shown."""
    bearing = {one.name for kind in (ModelSettings, RetrievalSettings) for one in fields(kind)}
    return {
        item.metadata["variable"]: shown_value(settings, item)
        for item in fields(settings)
        if item.name in bearing
    }


async def versions_of(settings: Settings) -> dict[str, str | None]:
    """Return the versions of the product and of each model that it would use."""
    async with open_embedders(settings) as embedders:
        measured = embedders.measured
    has_vectors = not isinstance(measured, NoEmbedder)
    return {
        "citebound": version("citebound"),
        "python": platform.python_version(),
        "reader": _name(await find_reader(settings)),
        "guard": _name(await find_guard(settings)),
        "vectors": f"{measured.space.name}/{measured.space.revision}" if has_vectors else None,
        "model": settings.model if settings.uses_model else None,
        "small_model": settings.small_model if settings.uses_model else None,
        "prompts": await asyncio.to_thread(_prompts, settings) if settings.uses_model else None,
    }


def _prompts(settings: Settings) -> str | None:
    """Return the prompts that are not the release's, by labels that change with their words."""
    return ", ".join(labels_of(prompts_of(settings))) or None


def _name(reader: Reader | NoReader) -> str | None:
    return None if isinstance(reader, NoReader) else reader.name


def code_sha256() -> str:
    """Return the SHA-256 of what answers and grades depend on: code, prompts and lists, in hex."""
    digest = sha256()
    for room in (_ANSWERING, _GRADING):
        for path in sorted(room.rglob("*")):
            if path.suffix in _SUFFIXES and path.is_file():
                digest.update(f"{path.relative_to(room.parent)}\0".encode())
                digest.update(sha256(path.read_bytes()).digest())
    return digest.hexdigest()


def commit() -> str | None:
    """Return the commit of the checkout; None if this is none, or git is not there."""
    command = ("git", "-C", str(_ANSWERING), "describe", "--always", "--abbrev=12", "--dirty")
    try:
        done = subprocess.run(  # noqa: S603  # our own words
            command, capture_output=True, text=True, timeout=_GIT_S, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() or None
