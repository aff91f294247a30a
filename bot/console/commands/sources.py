"""`citebound sources`: follow the places where policies are kept."""

import asyncio
import re
from collections.abc import Mapping

from rich.text import Text

from bot.audience.source_groups import entra_directory
from bot.console.open_service import open_service
from bot.console.sources.opening import open_sources
from bot.console.sources.shown import (
    access_lines,
    counted,
    group_rows,
    item_json,
    item_row,
    readers_changed,
    report_json,
    report_lines,
    status_json,
    status_row,
)
from bot.console.views.terminal import Row, Terminal, local, one_line, open_terminal
from core.adapters.postgres.corpus.policy_readers import ShownReaders, SourceGroup
from core.adapters.sources.locations import checked_location, credential_of
from core.bootstrap import Service
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


def add(
    *,
    kind: str,
    name: str,
    where: str,
    every: str,
    access_every: str,
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
        access_every_s=_seconds(access_every),
    )
    asyncio.run(_add(source))
    open_terminal().show(
        Text(f"{name}: followed from now on, every {every}, by `citebound serve` and `work`"),
        Text(f"`citebound sources sync {name}` reads it at once, and from cron where neither runs"),
    )
    if (credential := credential_of(of)) and source_credential(name) is None:
        variable = source_variable(name)
        said = f"Neither {variable} nor {variable}_FILE is set: it has to be {credential}."
        open_terminal().remark(Text(said, style="yellow"))
    return 0


def _seconds(every: str) -> int:
    found = _EVERY.fullmatch(every)
    if found is None:
        raise UsageError(f"expected a time like 15m, 1h or 1d, got {every!r}")
    return int(found[1]) * _SECONDS[found[2]]


async def _add(source: PolicySource) -> None:
    async with open_sources() as stores:
        await stores.sources.add(source)


def show_all(*, as_json: bool) -> int:
    """List the sources; 0."""
    terminal = open_terminal()
    found = asyncio.run(_all())
    if as_json:
        terminal.show_json([status_json(one) for one in found])
        return 0
    if not found:
        terminal.show(Text("no source is followed: `citebound sources add --help`"))
    for one in found:
        terminal.show(status_row(local(one)))
    return 0


async def _all() -> tuple[SourceStatus, ...]:
    async with open_sources() as stores:
        return await stores.sources.all()


def show(*, name: str, others: bool, as_json: bool) -> int:
    """List the documents of a source, or the files that are none; 0."""
    terminal = open_terminal()
    if others:
        paths = asyncio.run(_others(name))
        if as_json:
            terminal.show_json(list(paths))
        else:
            terminal.show(*(Text(one_line(one)) for one in paths or ["all its files are read"]))
        return 0
    items, readers = asyncio.run(_items(name))
    if as_json:
        terminal.show_json([item_json(one, readers.get(one.item_id)) for one in items])
        return 0
    if not items:
        terminal.show(Text(f"nothing has been read yet: run `citebound sources sync {name}`"))
    for one in items:
        terminal.show(item_row(one, readers.get(one.item_id)))
    return 0


async def _others(name: str) -> tuple[str, ...]:
    async with open_sources() as stores:
        return await stores.sources.others(name)


async def _items(name: str) -> tuple[tuple[KnownItem, ...], Mapping[str, ShownReaders]]:
    async with open_sources() as stores:
        return await stores.sources.items(name), await stores.sources.access.shown(name)


def sync(*, name: str | None, as_json: bool) -> int:
    """Bring the corpus in step with one source, or all; 1 if something is left to be done."""
    terminal = open_terminal()
    done, unread = asyncio.run(_sync(terminal, name, is_quiet=as_json))
    if as_json:
        terminal.show_json({one: report_json(said) for one, said in done.items()})
    is_left = any(isinstance(one, CiteboundError) or one.held_back for one in done.values())
    if not as_json:
        for one, count in unread.items():
            said = f"{counted(count, 'document')} can't be read: `citebound sources show {one}`"
            terminal.show(Text(f"{one}: {said}", style="yellow"))
    return EXIT_INCOMPLETE if is_left or unread else 0


async def _sync(
    terminal: Terminal, name: str | None, *, is_quiet: bool
) -> tuple[dict[str, SyncReport | CiteboundError], dict[str, int]]:
    """Return what each source came to, and how many documents of it can't be read."""
    done: dict[str, SyncReport | CiteboundError] = {}
    settings = Settings.from_environment()
    async with open_service(Service, terminal, settings) as service:
        service.sources.readers.directory = entra_directory(settings)
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
        await service.suspensions.compare(on_day=service.clock.today())
        known = {one.source.name: one.items for one in await service.sources.all()}
    # Whenever that was found: a listing of changes alone does not name them again.
    unread = {one: count for one in done if (count := known.get(one, {}).get(ItemState.FAILED, 0))}
    return done, unread


async def _sync_one(
    terminal: Terminal, service: Service, name: str, *, is_quiet: bool
) -> SyncReport:
    def tell(step: SyncStep) -> None:
        if not is_quiet:
            head = Text(f"{step.word:<9}", style=_COLOURS[step.word])
            line = Text(f"{one_line(step.path)}: {one_line(step.detail, limit=300)}")
            terminal.show(Row(heads=(head,), lines=(line,)))

    report = await service.source_sync.sync(name, on_step=tell)
    access = await service.source_sync.access.refresh(name)
    if not is_quiet:
        terminal.show(*report_lines(name, report), *access_lines(name, access))
    return report


def withdraw(*, name: str, is_sure: bool) -> int:
    """Withdraw the policies whose documents are gone; 0."""
    terminal = open_terminal()
    if not is_sure and not terminal.is_interactive:
        raise UsageError("there is no terminal to confirm on: add --yes")
    asyncio.run(_withdraw(terminal, name, is_sure=is_sure))
    return 0


async def _withdraw(terminal: Terminal, name: str, *, is_sure: bool) -> None:
    async with open_service(Service, terminal, Settings.from_environment()) as service:
        found = await service.sources.items(name)
        gone = [one for one in found if one.state is ItemState.GONE and one.policy]
        for one in gone:
            terminal.show(Text(f"gone: {one_line(one.path)}: {one.policy}"))
        if not gone:
            terminal.show(Text("nothing is gone"))
            return
        if not is_sure:
            said = terminal.out.input(Text(f"Withdraw {len(gone)} from today? [y/N] "))
            if said.strip().lower() not in {"y", "yes"}:
                terminal.show(Text("nothing was withdrawn"))
                return
        for one in gone:
            await service.source_sync.withdraw_gone(one.policy or "", source=name, path=one.path)
            await service.sources.withdrawn(name, one.item_id)
        terminal.show(Text(f"{len(gone)} withdrawn", style="green"))


def groups(*, name: str, group: str | None, audience: str | None, is_none: bool) -> int:
    """List the groups that a source names as readers, or say what one of them is; 0."""
    terminal = open_terminal()
    if group is None:
        terminal.show(*group_rows(name, asyncio.run(_groups(name))))
        return 0
    if (audience is None) != is_none:
        raise UsageError("say which audience group it is, or --none")
    changed = asyncio.run(_name_group(name, group, audience))
    said = f"{group} is now {audience or 'not mapped'}"
    terminal.show(Text(f"{said}: {readers_changed(len(changed))}"))
    return 0


async def _groups(name: str) -> tuple[SourceGroup, ...]:
    async with open_sources() as stores:
        return await stores.sources.access.groups(name)


async def _name_group(name: str, group: str, audience: str | None) -> tuple[str, ...]:
    async with open_sources() as stores:
        found = {one.group_id for one in await stores.sources.access.groups(name)}
        if audience is not None and found and group not in found:
            raise UsageError(f"{name} names no group {group!r}: `citebound sources groups {name}`")
        return await stores.sources.access.name_groups(name, named={group: audience})
