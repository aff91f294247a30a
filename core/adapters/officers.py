"""Officers, from settings: JSON, or a file that holds it.

`[{"login": "ada", "name": "Ada Lovelace", "accounts": ["slack/T1/U7"], "on_call": true}]`; an
account is `platform/tenant/person`, a channel `platform/tenant/channel`. GUIDs, as Teams has them,
may be written in either case. `subject` is who the OpenID Connect provider of the officers' console
says somebody is (its claim `sub`).
"""

import re
from collections.abc import Mapping
from typing import Any, cast
from urllib.parse import parse_qs, unquote, urlsplit

from core.config.setting import json_or_file
from core.domain.errors import ConfigError
from core.domain.officers import Account, Officer, Officers, WorkingCalendar

_GUID = re.compile("[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_KEYS = {"login", "name", "accounts", "on_call", "subject"}
_TEAMS = frozenset({"teams.microsoft.com", "teams.cloud.microsoft"})
_LINKED = (["l", "channel"], ["l", "chat"])
"""How the path of a link to a conversation begins."""
_LIST, _CHANNEL = "CITEBOUND_OFFICERS", "CITEBOUND_CASE_CHANNEL"


def read_officers(
    given: str | None, channel: str | None, calendar: WorkingCalendar | None = None
) -> Officers:
    """Return who answers cases, and where they hear of them.

    Raises:
        ConfigError: One of the settings can't be read; it is named.
    """
    listed = [] if given is None else json_or_file(_LIST, given, list)
    return Officers(
        all=tuple(_officer(one) for one in listed),
        channel=None if channel is None else _account(_unlinked(channel), variable=_CHANNEL),
        calendar=calendar or WorkingCalendar(),
    )


def _officer(given: Any) -> Officer:
    if not isinstance(given, Mapping):
        raise ConfigError(f"{_LIST}: expected an object for each officer")
    one = cast("Mapping[str, Any]", given)
    unknown = set(one) - _KEYS
    if unknown:
        raise ConfigError(f"{_LIST}: unknown key {min(unknown)!r}")
    accounts: object = one.get("accounts", [])
    if not isinstance(accounts, list):
        raise ConfigError(f"{_LIST}: expected a list of accounts")
    return Officer(
        login=_word(one, "login"),
        name=_word(one, "name"),
        accounts=tuple(_account(each) for each in cast("list[object]", accounts)),
        is_on_call=one.get("on_call") is True,
        subject=_word(one, "subject") if "subject" in one else None,
    )


def _word(one: Mapping[str, Any], key: str) -> str:
    word = one.get(key)
    if not isinstance(word, str) or not word.strip():
        raise ConfigError(f"{_LIST}: each officer needs a {key}")
    return word.strip()


def _unlinked(channel: str) -> str:
    """Return the channel of a link to it, as Teams' "Copy link" gives it; all else as it is."""
    try:
        parts = urlsplit(channel)
        host, path = parts.hostname or "", parts.path.split("/")
    except ValueError:
        return channel
    tenants = parse_qs(parts.query).get("tenantId", [""])
    is_link = parts.scheme == "https" and host in _TEAMS and path[1:3] in _LINKED
    if not is_link or len(path) < len(("", "l", "channel", "id")):
        return channel
    if not _GUID.fullmatch(tenants[0]):
        raise ConfigError(f"{_CHANNEL}: that link names no tenant: expected teams/tenant/19:...")
    return f"teams/{tenants[0]}/{unquote(path[3])}"


def _account(given: object, *, variable: str = _LIST) -> Account:
    parts = given.split("/", 2) if isinstance(given, str) else []
    if len(parts) != len(("platform", "tenant", "person")) or not all(parts):
        raise ConfigError(f"{variable}: expected platform/tenant/id, as in slack/T1/U7")
    platform, tenant, person = (one.lower() if _GUID.fullmatch(one) else one for one in parts)
    return Account(platform=platform, tenant=tenant, person=person)
