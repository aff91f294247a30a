"""`citebound audit erase`, `retain`, `hold` and `purge`: personal text leaves, or is held."""

import asyncio
import getpass
from collections import Counter
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from datetime import date, datetime, timedelta

from rich.text import Text

from bot.console.commands.officers import own_ledger
from bot.console.views.terminal import Row, one_line, open_terminal
from core.adapters.postgres.access import migration_url, open_engine
from core.adapters.postgres.engine.roles import DatabaseRole
from core.adapters.postgres.engine.schema import open_database
from core.adapters.postgres.officers.erasure import (
    Found,
    Hold,
    PostgresErasure,
    Reasons,
    purge_files,
)
from core.adapters.system import SystemClock
from core.config.settings import Settings
from core.domain.errors import UsageError
from core.domain.json_value import Json

PURGE = "`citebound audit purge` takes it out of the files, too, as whoever migrates."
NAMED = 10
"""Records that stay of which is said why."""


def erase(
    *,
    asker: str | None,
    record: str | None,
    basis: str | None,
    approver: str | None,
    is_applied: bool,
    as_json: bool,
) -> int:
    """Erase the texts of a person or of a question, or say which they are; 0."""
    if asker is None and record is None:
        raise UsageError("say whose texts: --asker, or --record")
    reasons = _reasons(basis, approver) if is_applied else None
    found, gone = asyncio.run(_erase(Settings.from_environment(), asker, record, reasons))
    _show(found, gone, as_json=as_json)
    return 0


def retain(
    *,
    days: int | None,
    only_places: bool,
    basis: str | None,
    approver: str | None,
    is_applied: bool,
    as_json: bool,
) -> int:
    """Erase what is old, or say what it is; 0."""
    if days is None:
        raise UsageError("say how old: --older-than DAYS")
    reasons = _reasons(basis, approver) if is_applied else None
    before = SystemClock().now() - timedelta(days=days)
    found, gone = asyncio.run(
        _retain(Settings.from_environment(), before, reasons, only_places=only_places)
    )
    _show(found, gone, as_json=as_json)
    return 0


def place_hold(
    *,
    asker: str | None,
    case: int | None,
    policy: str | None,
    since: date | None,
    until: date | None,
    reason: str,
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
    hold = asyncio.run(_place(Settings.from_environment(), scope, reason))
    open_terminal().show(Text(f"Held: {hold}"))
    return 0


def release_hold(*, hold_id: str, reason: str) -> int:
    """End a hold; 0."""
    hold = asyncio.run(_release(Settings.from_environment(), hold_id, reason))
    open_terminal().show(Text(f"Released: {hold}"))
    return 0


def list_holds(*, as_json: bool) -> int:
    """List the holds; 0."""
    terminal = open_terminal()
    holds = asyncio.run(_holds(Settings.from_environment()))
    if as_json:
        terminal.show_json([_as_json(one) for one in holds])
    elif holds:
        terminal.show(*map(_row, holds))
    else:
        terminal.show(Text("Nothing is held."))
    return 0


def purge(*, is_full: bool) -> int:
    """Take what was erased out of the files; 0."""
    terminal = open_terminal()
    with terminal.busy("Cleaning up"):
        asyncio.run(_purge(Settings.from_environment(), is_full=is_full))
    terminal.show(Text("What was erased is out of the tables and the index of words."))
    return 0


def _reasons(basis: str | None, approver: str | None) -> Reasons:
    if basis is None or approver is None:
        raise UsageError("--apply takes a --basis and an --approver, who is another officer")
    return Reasons(basis=basis, approver=approver)


@asynccontextmanager
async def _opened(settings: Settings) -> AsyncGenerator[PostgresErasure]:
    async with open_engine(settings, DatabaseRole.CONSOLE, officer=getpass.getuser()) as engine:
        yield PostgresErasure(engine, ledger=own_ledger(settings))


async def _erase(
    settings: Settings, asker: str | None, record: str | None, reasons: Reasons | None
) -> tuple[Found, int | None]:
    async with _opened(settings) as erasure:
        if asker is not None:
            found = await erasure.of_asker(asker)
        else:
            found = await erasure.of_record(record or "")
        if not found.texts:
            raise UsageError("there is no text of these in the record of your units")
        if reasons is None:
            return found, None
        return found, await erasure.erase(found, reasons, asker=asker)


async def _retain(
    settings: Settings, before: datetime, reasons: Reasons | None, *, only_places: bool
) -> tuple[Found, int | None]:
    async with _opened(settings) as erasure:
        found = await erasure.before(before, only_places=only_places)
        if reasons is None:
            return found, None
        return found, await erasure.retain(found, reasons, before=before)


async def _place(settings: Settings, scope: dict[str, Json], reason: str) -> str:
    async with _opened(settings) as erasure:
        return await erasure.place_hold(scope, reason=reason)


async def _release(settings: Settings, hold_id: str, reason: str) -> str:
    async with _opened(settings) as erasure:
        return await erasure.release_hold(hold_id, reason=reason)


async def _holds(settings: Settings) -> list[Hold]:
    async with _opened(settings) as erasure:
        return await erasure.holds()


async def _purge(settings: Settings, *, is_full: bool) -> None:
    url = await migration_url(settings)
    async with open_database(url, migrates=settings.migrates) as engine:
        await purge_files(engine, is_full=is_full)


def _show(found: Found, gone: int | None, *, as_json: bool) -> None:
    """Say what went, or would go; `gone` is None in a rehearsal."""
    terminal = open_terminal()
    fields = Counter(field for record in found.free for field in found.texts[record])
    if as_json:
        terminal.show_json(
            {
                "erased": gone,
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
    lines.append(Text("--apply does it." if gone is None else PURGE))
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


def _as_json(hold: Hold) -> dict[str, object]:
    return {
        "hold_id": hold.hold_id,
        "placed_at": hold.placed_at.isoformat(),
        "owner": hold.owner,
        "scope": dict(hold.scope),
        "reason": hold.reason,
        "released_at": hold.released_at and hold.released_at.isoformat(),
    }
