"""`citebound sources`: follow the places where policies are kept."""

import asyncio
import re
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager

from rich.text import Text

from bot.console.open_service import open_service, operator
from bot.console.views.terminal import Row, Terminal, one_line, open_terminal
from core.adapters.postgres.stores import PostgresStores
from core.adapters.sources.locations import checked_location, credential_of
from core.bootstrap import Service, open_stores
from core.config.settings import Settings, source_credential, source_variable
from core.domain.errors import CiteboundError, UsageError
from core.ingest.prepare import key_of
from core.sources.connector import PolicySource, SourceKind, Withdrawing
from core.sources.store import ItemState, KnownItem, SourceStatus, SyncReport
from core.sources.sync import SyncStep

EXIT_INCOMPLETE = 1
_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")
_EVERY = re.compile(r"([1-9][0-9]{0,4})([mhd])")
_SECONDS = {"m": 60, "h": 3600, "d": 86400}
_COLOURS = {"added": "green", "revised": "green", "unchanged": "dim", "failed": "red"}
_STATES = {
    ItemState.STORED: "green",
    ItemState.FAILED: "red",
    ItemState.GONE: "yellow",
    ItemState.WITHDRAWN: "dim",
}


def add(
    *,
    kind: str,
    name: str,
    where: str,
    every: str,
    withdraw: str,
    audience: frozenset[str] | None,
    key_prefix: str | None,
    **place: str | None,
) -> int:
    """Begin to follow a source; `place` are options that say where it lies; 0."""
    if not _NAME.fullmatch(name):
        raise UsageError(
            f"expected a name of at most 40 lower-case letters, digits and hyphens, got {name!r}"
        )
    if key_prefix is not None and not key_of(key_prefix):
        raise UsageError(f"expected a word for --key-prefix, got {key_prefix!r}")
    of = SourceKind(kind)
    given = {"where": where} | {option: value for option, value in place.items() if value}
    source = PolicySource(
        name=name,
        kind=of,
        location=checked_location(of, given, settings=Settings.from_environment()),
        key_prefix=key_prefix,
        audience=audience,
        withdrawing=Withdrawing(withdraw),
        every_s=_seconds(every),
    )
    asyncio.run(_add(source))
    open_terminal().show(
        Text(
            f"{name}: followed from now on, every {every}. `citebound sources sync {name}` reads it"
            " at once."
        )
    )
    if (credential := credential_of(of)) and source_credential(name) is None:
        said = f"{source_variable(name)} is not set: it has to be {credential}."
        open_terminal().remark(Text(said, style="yellow"))
    return 0


def _seconds(every: str) -> int:
    found = _EVERY.fullmatch(every)
    if found is None:
        raise UsageError(f"expected a time like 15m, 1h or 1d, got {every!r}")
    return int(found[1]) * _SECONDS[found[2]]


async def _add(source: PolicySource) -> None:
    async with _stores() as stores:
        await stores.sources.add(source)


def show_all(*, as_json: bool) -> int:
    """List the sources; 0."""
    terminal = open_terminal()
    found = asyncio.run(_all())
    if as_json:
        terminal.show_json([_status_json(one) for one in found])
        return 0
    if not found:
        terminal.show(Text("no source is followed: `citebound sources add --help`"))
    for one in found:
        terminal.show(_status_row(one))
    return 0


async def _all() -> tuple[SourceStatus, ...]:
    async with _stores() as stores:
        return await stores.sources.all()


def _status_row(one: SourceStatus) -> Row:
    source = one.source
    where = ", ".join(value for value in source.location.values() if value)
    lines = [Text(f"{source.name}: {source.kind}, {one_line(where)}")]
    counts = ", ".join(f"{count} {state}" for state, count in sorted(one.items.items()))
    when = f"{one.synced_at:%Y-%m-%d %H:%M} UTC" if one.synced_at else "never"
    lines.append(Text(f"last worked through: {when}; {counts or 'no documents yet'}", style="dim"))
    if one.error:
        since = f"{one.error_since:%Y-%m-%d %H:%M} UTC" if one.error_since else ""
        lines.append(Text(f"fails since {since}: {one_line(one.error, limit=300)}", style="red"))
    if gone := one.items.get(ItemState.GONE):
        said = f"{gone} gone, in force until `citebound sources withdraw {source.name}`"
        lines.append(Text(said, style="yellow"))
    word, colour = ("failing", "red") if one.error else ("current", "green")
    if one.synced_at is None and not one.error:
        word, colour = "new", "yellow"
    return Row(heads=(Text(f"{word:<9}", style=colour),), lines=tuple(lines))


def _status_json(one: SourceStatus) -> dict[str, object]:
    return {
        "name": one.source.name,
        "kind": one.source.kind.value,
        "location": dict(one.source.location),
        "every_s": one.source.every_s,
        "withdrawing": one.source.withdrawing.value,
        "synced_at": one.synced_at.isoformat() if one.synced_at else None,
        "error": one.error,
        "error_since": one.error_since.isoformat() if one.error_since else None,
        "items": {state.value: count for state, count in one.items.items()},
    }


def show(*, name: str, as_json: bool) -> int:
    """List the documents of a source; 0."""
    terminal = open_terminal()
    items = asyncio.run(_items(name))
    if as_json:
        terminal.show_json([_item_json(one) for one in items])
        return 0
    if not items:
        terminal.show(Text(f"nothing was read yet: `citebound sources sync {name}`"))
    for one in items:
        head = Text(f"{one.state.value:<9}", style=_STATES[one.state])
        lines = [Text(f"{one_line(one.path)}: {one.policy or 'no policy'}")]
        if one.reason:
            lines.append(Text(one_line(one.reason, limit=300), style="dim"))
        terminal.show(Row(heads=(head,), lines=tuple(lines)))
    return 0


async def _items(name: str) -> tuple[KnownItem, ...]:
    async with _stores() as stores:
        return await stores.sources.items(name)


def _item_json(one: KnownItem) -> dict[str, object]:
    return {
        "item": one.item_id,
        "path": one.path,
        "state": one.state.value,
        "policy": one.policy,
        "reason": one.reason,
    }


def sync(*, name: str | None, as_json: bool) -> int:
    """Bring the corpus in step with one source, or all; 1 if something is left to be done."""
    terminal = open_terminal()
    done = asyncio.run(_sync(terminal, name, is_quiet=as_json))
    if as_json:
        terminal.show_json({one: _report_json(said) for one, said in done.items()})
    failed = any(
        isinstance(one, CiteboundError) or one.failed or one.held_back for one in done.values()
    )
    return EXIT_INCOMPLETE if failed else 0


async def _sync(
    terminal: Terminal, name: str | None, *, is_quiet: bool
) -> dict[str, SyncReport | CiteboundError]:
    done: dict[str, SyncReport | CiteboundError] = {}
    async with open_service(terminal, Settings.from_environment()) as service:
        names = [name] if name else [one.source.name for one in await service.sources.all()]
        if not names:
            raise UsageError("no source is followed: `citebound sources add --help`")
        for one in names:
            try:
                done[one] = await _sync_one(terminal, service, one, is_quiet=is_quiet)
            except CiteboundError as error:
                if name:
                    raise
                done[one] = error
                terminal.remark(Text(f"{one}: {error}", style="red"))
        await service.suspensions.compare(on_day=service.clock.now().date())
    return done


async def _sync_one(
    terminal: Terminal, service: Service, name: str, *, is_quiet: bool
) -> SyncReport:
    def tell(step: SyncStep) -> None:
        if not is_quiet:
            head = Text(f"{step.word:<9}", style=_COLOURS[step.word])
            line = Text(f"{one_line(step.path)}: {one_line(step.detail, limit=300)}")
            terminal.show(Row(heads=(head,), lines=(line,)))

    report = await service.source_sync.sync(name, on_step=tell)
    if not is_quiet:
        terminal.show(*_report_lines(name, report))
    return report


def _report_lines(name: str, report: SyncReport) -> list[Text]:
    counts = ", ".join(f"{count} {word.replace('_', ' ')}" for word, count in _counts(report))
    lines = [Text(f"{name}: {counts}")]
    lines += [Text(f"withdrawn: {key}", style="yellow") for key in report.withdrawn]
    if report.held_back:
        keys = ", ".join(report.held_back[:10])
        more = f" and {len(report.held_back) - 10} more" if len(report.held_back) > 10 else ""  # noqa: PLR2004
        lines.append(
            Text(
                f"gone, and still in force: {keys}{more}: `citebound sources withdraw {name}` takes"
                " them out of force",
                style="yellow",
            )
        )
    return lines


def _counts(report: SyncReport) -> list[tuple[str, int]]:
    return [(word, count) for word, count in report.as_json().items() if count] or [
        ("unchanged", 0)
    ]


def _report_json(said: SyncReport | CiteboundError) -> dict[str, object]:
    if isinstance(said, CiteboundError):
        return {"error": str(said)}
    return {
        **said.as_json(),
        "withdrawn": list(said.withdrawn),
        "held_back": list(said.held_back),
    }


def withdraw(*, name: str, is_sure: bool) -> int:
    """Withdraw the policies whose documents are gone; 0."""
    terminal = open_terminal()
    if not is_sure and not terminal.is_interactive:
        raise UsageError("nobody can be asked here: add --yes")
    asyncio.run(_withdraw(terminal, name, is_sure=is_sure))
    return 0


async def _withdraw(terminal: Terminal, name: str, *, is_sure: bool) -> None:
    async with open_service(terminal, Settings.from_environment()) as service:
        found = await service.sources.items(name)
        gone = [one for one in found if one.state is ItemState.GONE and one.policy]
        for one in gone:
            terminal.show(Text(f"gone: {one_line(one.path)}: {one.policy}"))
        if not gone:
            terminal.show(Text("nothing is gone"))
            return
        if not is_sure:
            said = terminal.out.input(Text(f"Withdraw {len(gone)} from today on? [y/N] "))
            if said.strip().lower() not in {"y", "yes"}:
                terminal.show(Text("nothing was withdrawn"))
                return
        for one in gone:
            await service.source_sync.withdraw(one.policy or "", source=name, path=one.path)
            await service.sources.withdrawn(name, one.item_id)
        terminal.show(Text(f"{len(gone)} withdrawn", style="green"))


def remove(*, name: str) -> int:
    """Forget a source; 0."""
    asyncio.run(_remove(name))
    open_terminal().show(Text(f"{name}: followed no more; its policies stay in force"))
    return 0


async def _remove(name: str) -> None:
    async with _stores() as stores:
        await stores.sources.remove(name)


@asynccontextmanager
async def _stores() -> AsyncGenerator[PostgresStores]:
    async with AsyncExitStack() as stack:
        yield await stack.enter_async_context(
            open_stores(Settings.from_environment(), operator=operator())
        )
