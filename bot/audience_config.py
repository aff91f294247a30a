"""Which groups people belong to, and what a channel is about: the deployment's own file.

No chat platform knows groups of policies. A file for each names them: `CITEBOUND_SLACK_CONFIG`,
`CITEBOUND_TEAMS_CONFIG`.

    [groups]                        # the platform's ids, never names: anybody can change those
    finance = ["U0ANNA", "U0BEN"]   # of Slack; of Teams the object ids of Entra

    [user_groups]                   # Slack: groups that Slack keeps, by their ids (`S…`)
    finance = ["S0FINANCE"]
    [entra_groups]                  # Teams: groups that Entra keeps, by their object ids
    finance = ["6a3f…"]

    [guests]                        # of this workspace or tenant; without it they may not ask
    may_ask = true                  # or "multi_channel": in Slack, but not those of one channel
    groups = ["contractors"]        # only those who are of one of these groups; without it, all
    count_as = ["contractors"]      # groups that each of them counts as of

    [channels.C0TREASURY]           # answers there keep to this scope
    jurisdiction = "DE"
    tags = ["payments"]
    audience = ["finance"]          # all its members but guests count as of these groups

Without a file everyone is staff but guests: policies for everyone are answered, and no others.
"""

import re
import tomllib
from collections.abc import Mapping, Set
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any, cast

from core.domain.errors import ConfigError
from core.domain.policy import EVERYONE


@dataclass(frozen=True, slots=True, kw_only=True)
class ChannelScope:
    """What is said of a channel."""

    audience: frozenset[str] = frozenset()
    """Groups that every member counts as a member of."""
    jurisdiction: str | None = None
    """ISO 3166 code; None: that of the question."""
    tags: frozenset[str] = frozenset()
    """Labels that policies must have; empty: any."""


GUEST, SINGLE_CHANNEL_GUEST = "guest", "single_channel_guest"
"""Kinds of people who are guests of our own workspace or tenant; Slack alone tells them apart."""
MULTI_CHANNEL = "multi_channel"
_DIRECTORIES = {"CITEBOUND_SLACK_CONFIG": "user_groups", "CITEBOUND_TEAMS_CONFIG": "entra_groups"}
"""Variable -> the table of groups that the platform itself keeps."""
_IDS = {
    "user_groups": re.compile(r"(T[A-Z0-9]{1,30}/)?S[A-Z0-9]{1,30}"),
    "entra_groups": re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"),
}
"""What its ids look like: names can be changed by many."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Guests:
    """Whether guests of our own workspace or tenant may ask."""

    kinds: frozenset[str] = frozenset()
    """Kinds of guests who may; empty: none."""
    groups: frozenset[str] = frozenset()
    """Only who belongs to one of these; empty: all of the kinds."""
    count_as: frozenset[str] = frozenset()
    """Groups that each of them counts as a member of."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AudienceConfig:
    """The file, read."""

    groups: Mapping[str, frozenset[str]] = field(default_factory=dict[str, frozenset[str]])
    """Group -> the platform's ids of its members, as the file names them."""
    directory: Mapping[str, frozenset[str]] = field(default_factory=dict[str, frozenset[str]])
    """Group -> ids of the groups that the platform keeps, whose members are of it, too."""
    guests: Guests = field(default_factory=Guests)
    """Who of them may ask."""
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
        return _rights(given, _DIRECTORIES.get(variable, ""))
    except _FaultError as fault:
        raise ConfigError(f"{variable}: {fault}") from None


class _FaultError(Exception):
    """What the file says and may not, with its place."""


def _rights(given: Mapping[str, Any], directory: str) -> AudienceConfig:
    _known(given, {"groups", "channels", "guests", directory} - {""}, "the file")
    groups = _table(given.get("groups", {}), "groups")
    kept = _table(given.get(directory, {}), directory)
    channels = _table(given.get("channels", {}), "channels")
    scopes = {one: _scope(_table(told, one), one) for one, told in channels.items()}
    guests = _guests(
        _table(given.get("guests", {}), "guests"),
        named=frozenset({*groups, *kept}),
        has_kinds=directory == "user_groups",
    )
    audiences = (name for scope in scopes.values() for name in scope.audience)
    _refuse_like_names({*groups, *kept, *guests.count_as, *audiences})
    return AudienceConfig(
        groups={name: _names(ids, f"groups.{name}") for name, ids in groups.items()},
        directory={name: _ids(ids, directory, name) for name, ids in kept.items()},
        guests=guests,
        channels=scopes,
    )


def _refuse_like_names(names: Set[str]) -> None:
    """Refuse names of groups that differ in case alone: who is in one is not in the other."""
    for first, second in pairwise(
        sorted({*names, EVERYONE}, key=lambda name: (name.lower(), name))
    ):
        if first.lower() == second.lower():
            raise _FaultError(f"{first!r} and {second!r} differ in case alone: write both alike")


def _ids(given: Any, directory: str, name: str) -> frozenset[str]:
    ids = _names(given, f"{directory}.{name}")
    strange = sorted(one for one in ids if not _IDS[directory].fullmatch(one))
    if strange:
        raise _FaultError(f"{directory}.{name}: {strange[0]!r} is no id of a group")
    return frozenset(one.lower() for one in ids) if directory == "entra_groups" else ids


def _guests(told: Mapping[str, Any], *, named: frozenset[str], has_kinds: bool) -> Guests:
    _known(told, {"may_ask", "groups", "count_as"}, "guests")
    may_ask = told.get("may_ask", False)
    if not isinstance(may_ask, bool) and not (has_kinds and may_ask == MULTI_CHANNEL):
        hint = f', or "{MULTI_CHANNEL}"' if has_kinds else ""
        raise _FaultError(f"guests.may_ask: expected true or false{hint}")
    kinds = {GUEST} if may_ask else set[str]()
    guests = Guests(
        kinds=frozenset(kinds | ({SINGLE_CHANNEL_GUEST} if may_ask is True else set())),
        groups=_names(told.get("groups", []), "guests.groups"),
        count_as=_names(told.get("count_as", []), "guests.count_as"),
    )
    unnamed = sorted(guests.groups - named)
    if unnamed:
        raise _FaultError(f"guests.groups: nobody can be of {unnamed[0]!r}: no table names it")
    if "groups" in told and not guests.groups:
        raise _FaultError("guests.groups: names no group: leave it out to let all guests ask")
    return guests


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
