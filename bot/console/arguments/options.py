"""What was typed, as values: read once from argparse's untyped namespace."""

from argparse import Namespace
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from bot.console.arguments.values import Edition, ScopePart
from core.domain.errors import UsageError
from core.domain.policy import EVERYONE


@dataclass(frozen=True, slots=True, kw_only=True)
class ScopeOptions:
    """What an answer, a list or a picture may rest on."""

    groups: frozenset[str] = frozenset({EVERYONE})
    """Audience groups of the asker; `everyone` is always one."""
    tags: frozenset[str] = frozenset()
    """Only policies with one of these; empty: all."""
    jurisdiction: str | None = None
    """ISO 3166 code; None: all."""
    as_of: date | None = None
    """The day whose rules count; None: today."""
    edition: int | None = None
    """State of the corpus; None: the current one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AskOptions:
    """How to ask."""

    scope: ScopeOptions = ScopeOptions()
    """What the answer may rest on."""
    use_rag: bool = True
    """False: graph only."""
    thread: str | None = None
    """The conversation to continue; None: a new one."""
    trace_dir: Path | None = None
    """Where traces are written; None: nowhere."""
    is_verbose: bool = False
    """True: show how the answer came about."""


def scope_options(arguments: Namespace) -> ScopeOptions:
    """Read `--scope`, `--jurisdiction`, `--group` and `--as-of`.

    Raises:
        UsageError: Two different jurisdictions were named.
    """
    parts: list[ScopePart] = arguments.scope
    groups: list[frozenset[str]] = arguments.group
    when: date | Edition | None = arguments.as_of
    named = {part.jurisdiction for part in parts} | {arguments.jurisdiction}
    jurisdictions: set[str] = {name for name in named if name is not None}
    if len(jurisdictions) > 1:
        found = " and ".join(sorted(jurisdictions))
        raise UsageError(f"expected one jurisdiction, got {found}: name one, or none for all")
    return ScopeOptions(
        groups=_union(groups) | {EVERYONE},
        tags=_union(part.tags for part in parts),
        jurisdiction=next(iter(jurisdictions), None),
        as_of=when if isinstance(when, date) else None,
        edition=when.number if isinstance(when, Edition) else None,
    )


def ask_options(arguments: Namespace) -> AskOptions:
    """Read how to ask.

    Raises:
        UsageError: See `scope_options`.
    """
    return AskOptions(
        scope=scope_options(arguments),
        use_rag=arguments.rag,
        thread=arguments.thread,
        trace_dir=arguments.trace_dir,
        is_verbose=arguments.verbose,
    )


def _union(sets: Iterable[frozenset[str]]) -> frozenset[str]:
    return frozenset[str]().union(*sets)
