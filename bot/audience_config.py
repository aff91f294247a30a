"""Which groups people belong to, and what a channel is about: the deployment's own file.

No chat platform knows groups of policies. A file for each names them: `CITEBOUND_SLACK_CONFIG`,
`CITEBOUND_TEAMS_CONFIG`.

    [groups]                        # the platform's ids, never names: anybody can change those
    finance = ["U0ANNA", "U0BEN"]   # of Slack; of Teams the object ids of Entra

    [channels.C0TREASURY]           # answers there keep to this scope
    jurisdiction = "DE"
    tags = ["payments"]
    audience = ["finance"]          # all its members count as of these groups

Without a file everyone is staff: policies for everyone are answered, and no others.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from core.domain.errors import ConfigError


@dataclass(frozen=True, slots=True, kw_only=True)
class ChannelScope:
    """What is said of a channel."""

    audience: frozenset[str] = frozenset()
    """Groups that every member counts as a member of."""
    jurisdiction: str | None = None
    """ISO 3166 code; None: that of the question."""
    tags: frozenset[str] = frozenset()
    """Labels that policies must have; empty: any."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AudienceConfig:
    """The file, read."""

    groups: Mapping[str, frozenset[str]] = field(default_factory=dict[str, frozenset[str]])
    """Group -> the platform's ids of its members."""
    channels: Mapping[str, ChannelScope] = field(default_factory=dict[str, ChannelScope])
    """By the platform's id of the channel."""

    def groups_of(self, person: str) -> frozenset[str]:
        """Return the groups of a person; whoever is not named belongs to none."""
        return frozenset(name for name, members in self.groups.items() if person in members)

    def scope_of(self, channel: str) -> ChannelScope:
        """Return what is said of a channel: nothing, if it is not named."""
        return self.channels.get(channel, ChannelScope())


def read_audience_config(path: Path | None, *, variable: str) -> AudienceConfig:
    """Read the file that a variable names; None: nothing is said.

    Raises:
        ConfigError: It can't be read, or says what it may not; the message names variable and
            place.
    """
    if path is None:
        return AudienceConfig()
    try:
        given = tomllib.loads(path.expanduser().read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ConfigError(f"{variable}: {path} can't be read: {error}") from error
    try:
        return _rights(given)
    except _FaultError as fault:
        raise ConfigError(f"{variable}: {fault}") from None


class _FaultError(Exception):
    """What the file says and may not, with its place."""


def _rights(given: Mapping[str, Any]) -> AudienceConfig:
    _known(given, {"groups", "channels"}, "the file")
    groups = _table(given.get("groups", {}), "groups")
    channels = _table(given.get("channels", {}), "channels")
    return AudienceConfig(
        groups={name: _names(ids, f"groups.{name}") for name, ids in groups.items()},
        channels={one: _scope(_table(told, one), one) for one, told in channels.items()},
    )


def _scope(told: Mapping[str, Any], channel: str) -> ChannelScope:
    _known(told, {"audience", "jurisdiction", "tags"}, f"channels.{channel}")
    jurisdiction: Any = told.get("jurisdiction")
    if jurisdiction is not None and not isinstance(jurisdiction, str):
        raise _FaultError(f"channels.{channel}.jurisdiction: expected a text")
    return ChannelScope(
        audience=_names(told.get("audience", []), f"channels.{channel}.audience"),
        jurisdiction=jurisdiction,
        tags=_names(told.get("tags", []), f"channels.{channel}.tags"),
    )


def _table(given: Any, where: str) -> Mapping[str, Any]:
    if not isinstance(given, dict):
        raise _FaultError(f"{where}: expected a table")
    return cast("dict[str, Any]", given)


def _names(given: Any, where: str) -> frozenset[str]:
    items = cast("list[Any]", given) if isinstance(given, list) else [None]
    if not all(isinstance(one, str) and one for one in items):
        raise _FaultError(f"{where}: expected a list of texts")
    return frozenset(cast("list[str]", items))


def _known(given: Mapping[str, Any], known: set[str], where: str) -> None:
    """Refuse a word that nobody reads: a misspelt one would grant or lift nothing, unnoticed."""
    unknown = sorted(set(given) - known)
    if unknown:
        raise _FaultError(f"{where}: unknown {', '.join(unknown)}")
