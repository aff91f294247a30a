"""`citebound audit erase`, `retain`, `hold` and `purge`: personal text leaves, or is held."""

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from datetime import date, timedelta

from rich.text import Text

from bot.console.commands.officers import own_ledger
from bot.console.views.terminal import Row, local, one_line, open_terminal
from core.adapters.postgres.access import migration_url
from core.adapters.postgres.engine.schema import open_database
from core.adapters.postgres.officers.erasure import (
    Erased,
    Found,
    Hold,
    PostgresErasure,
    purge_files,
)
from core.adapters.postgres.officers.login import open_officer
from core.adapters.postgres.officers.requests import ErasureScope, PostgresRequests
from core.adapters.postgres.officers.session import OfficerSession
from core.adapters.system import SystemClock
from core.config.settings import Settings
from core.domain.codec import json_of
from core.domain.errors import UsageError
from core.domain.json_value import Json

PURGE = "`citebound audit purge` takes it out of the files, too, as whoever migrates."
ASK = "--basis asks another officer to approve it."
APPROVED = (
    "Requested: {}. Once another officer has approved it, run this with --approved and that id."
)
NAMED = 10
"""Records that stay of which is said why."""


def erase(
    *,
    asker: str | None,
    record: str | None,
    approved: str | None,
    basis: str | None,
    officer: str | None,
    as_json: bool,
) -> int:
    """Say what of a person or a question would go, ask for it, or do what is approved; 0."""
    if approved is None and asker is None and record is None:
        raise UsageError("say whose texts: --asker, or --record")
    scope = ErasureScope(asker=asker, record_id=record)
    return _erase(scope, approved=approved, basis=basis, officer=officer, as_json=as_json)


def retain(
    *,
    days: int | None,
    only_places: bool,
    approved: str | None,
    basis: str | None,
    officer: str | None,
    as_json: bool,
) -> int:
    """Say what is too old, ask for its erasure, or do what is approved; 0."""
    if approved is None and days is None:
        raise UsageError("say how old: --older-than DAYS")
    before = SystemClock().now() - timedelta(days=days or 0)
    scope = ErasureScope(before=before, only_places=only_places)
    return _erase(scope, approved=approved, basis=basis, officer=officer, as_json=as_json)


def place_hold(
    *,
    asker: str | None,
    case: int | None,
    policy: str | None,
    since: date | None,
    until: date | None,
    reason: str,
    officer: str | None,
) -> int:
    """Hold what is meant; 0."""
    given: dict[str, Json] = {
        "asker": asker,
        "case": case,
        "policy": policy,
        "since": since and since.isoformat(),
        "until": until and until.isoformat(),
    }
    scope: dict[str, Json] = {name: one for name, one in given.items() if one is not None}
    if not scope:
        raise UsageError("say what: --asker, --case, --policy, --since or --until")
    hold = asyncio.run(_place(officer, scope, reason))
    open_terminal().show(Text(f"Held: {hold}"))
    return 0


def release_hold(*, hold_id: str, reason: str, officer: str | None) -> int:
    """End a hold; 0."""
    hold = asyncio.run(_release(officer, hold_id, reason))
    open_terminal().show(Text(f"Released: {hold}"))
    return 0


def list_holds(*, officer: str | None, as_json: bool) -> int:
    """List the holds; 0."""
    terminal = open_terminal()
    holds = asyncio.run(_holds(officer))
    if as_json:
        terminal.show_json([json_of(one) for one in holds])
    elif holds:
        terminal.show(*(_row(local(hold)) for hold in holds))
    else:
        terminal.show(Text("Nothing is held."))
    return 0


def purge(*, is_full: bool) -> int:
    """Take what was erased out of the files; 0."""
    terminal = open_terminal()
    with terminal.busy("Cleaning up"):
        asyncio.run(_purge(Settings.from_environment(), is_full=is_full))
    terminal.show(Text("Erased text has been removed from the tables and the word index."))
    return 0


def _erase(
    scope: ErasureScope,
    *,
    approved: str | None,
    basis: str | None,
    officer: str | None,
    as_json: bool,
) -> int:
    if approved is not None:
        if basis is not None:
            raise UsageError("--basis requests it and --approved carries it out: use one of them")
        erased = asyncio.run(_do(officer, approved))
        _show(erased.found, erased.count, as_json=as_json)
        return 0
    found, request = asyncio.run(_find(officer, scope, basis))
    _show(found, None, request=request, as_json=as_json)
    return 0


@asynccontextmanager
async def acting(officer: str | None) -> AsyncGenerator[OfficerSession]:
    """Open the session of the officer whose login DATABASE_URL names; see `open_officer`."""
    settings = Settings.from_environment()
    async with open_officer(settings, officer, ledger=own_ledger(settings)) as (session, _):
        yield session


async def _find(
    officer: str | None, scope: ErasureScope, basis: str | None
) -> tuple[Found, str | None]:
    async with acting(officer) as session:
        found = await PostgresErasure(session).find(scope)
        if not found.texts:
            raise UsageError("your units' records hold none of these texts")
        if basis is None:
            return found, None
        return found, await PostgresRequests(session).ask_to_erase(scope, basis=basis)


async def _do(officer: str | None, request: str) -> Erased:
    async with acting(officer) as session:
        return await PostgresErasure(session).erase(request)


async def _place(officer: str | None, scope: dict[str, Json], reason: str) -> str:
    async with acting(officer) as session:
        return await PostgresErasure(session).place_hold(scope, reason=reason)


async def _release(officer: str | None, hold_id: str, reason: str) -> str:
    async with acting(officer) as session:
        return await PostgresErasure(session).release_hold(hold_id, reason=reason)


async def _holds(officer: str | None) -> list[Hold]:
    async with acting(officer) as session:
        return await PostgresErasure(session).holds()


async def _purge(settings: Settings, *, is_full: bool) -> None:
    url = await migration_url(settings)
    async with open_database(url, migrates=settings.migrates) as engine:
        await purge_files(engine, is_full=is_full)


def _show(found: Found, gone: int | None, *, request: str | None = None, as_json: bool) -> None:
    """Say what went, or would go; `gone` is None before it is approved."""
    terminal = open_terminal()
    fields = Counter(field for record in found.free for field in found.texts[record])
    if as_json:
        terminal.show_json(
            {
                "erased": gone,
                "request": request,
                "texts": found.count,
                "records": len(found.free),
                "fields": dict(sorted(fields.items())),
                "kept": [{"record": record, "why": why} for record, why in found.obstacles.items()],
            }
        )
        return
    listed = ", ".join(f"{field} {count}" for field, count in sorted(fields.items()))
    verb = "would be erased" if gone is None else "are erased"
    total = found.count if gone is None else gone
    lines = [Text(f"{total} texts of {len(found.free)} records {verb}.")]
    lines += [Text(f"  {one_line(listed)}")] if listed else []
    lines += [
        Text(f"{one_line(record)} stays: {one_line(why)}")
        for record, why in [*found.obstacles.items()][:NAMED]
    ]
    if len(found.obstacles) > NAMED:
        lines.append(Text(f"and {len(found.obstacles) - NAMED} more records stay"))
    if gone is None:
        lines += [Text(APPROVED.format(request) if request else ASK)]
    else:
        lines.append(Text(PURGE))
    terminal.show(*lines)


def _row(hold: Hold) -> Row:
    scope = ", ".join(f"{name} {value}" for name, value in sorted(hold.scope.items()))
    until = f"; released {hold.released_at:%Y-%m-%d}" if hold.released_at else ""
    said = f"{hold.owner}: {hold.reason or '(erased)'}{until}"
    since = Text(f"{hold.placed_at:%Y-%m-%d}", style="dim")
    return Row(
        heads=(since, Text(hold.hold_id, style="bold")),
        lines=(Text(one_line(scope)), Text(one_line(said))),
    )
