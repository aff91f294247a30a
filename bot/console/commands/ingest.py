"""`citebound ingest`: files into the corpus, their facts by rules or also by Claude."""

import asyncio
from collections.abc import Sequence
from contextlib import AsyncExitStack, suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from rich.text import Text

from bot.console.ingest.extraction_progress import (
    FilePlan,
    SectionTicks,
    dropped_by_reason,
    is_complete,
    plan_all,
    plan_line,
    plan_row,
    sum_of,
    use_lines,
)
from bot.console.ingest.ingest_files import (
    Failed,
    FileResult,
    ingest_with_progress,
    keys_of,
    skipped_row,
    summary_line,
)
from bot.console.ingest.ingest_json import outcome_as_json, plans_as_json
from bot.console.ingest.vanished import (
    Vanished,
    confirmed,
    find_vanished,
    vanished_row,
    withdraw_vanished,
    withdrawn_row,
)
from bot.console.open_service import open_service
from bot.console.sources.shown import changed_rows
from bot.console.views.terminal import Terminal, open_terminal
from core.adapters.anthropic.extraction.composition import estimating_reader, open_section_reader
from core.adapters.postgres.corpus.withdrawals import PolicyFile
from core.adapters.system import SystemClock
from core.bootstrap import Service
from core.config.settings import Settings
from core.domain.errors import CiteboundError, TransientError, UsageError
from core.ingest.changes import NO_CHANGES, CorpusChanges
from core.ingest.folder_listing import FileListing, find_sources, other_kinds
from core.ingest.prepare import Overrides
from core.ingest.publish import Ingestor
from core.ontology.model.model_extractor import ModelExtractor
from core.ports import Published
from core.ports.extraction import SectionReader

EXIT_SOME_FAILED = 1
CLAUDE = "claude"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Options:
    """How to ingest."""

    with_chunks: bool
    """False for facts alone."""
    as_json: bool
    """True prints one JSON value."""
    syncs: bool
    """True: policies whose file is gone are withdrawn."""
    is_sure: bool
    """True: without asking."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Outcome:
    """What became of all files."""

    results: list[FileResult]
    """Of each file."""
    gone: list[PolicyFile]
    """Policies whose file is gone."""
    vanished: list[Vanished]
    """What became of these; empty while somebody is to be asked."""
    changes: CorpusChanges | None
    """What changed, policy by policy; None while somebody is to be asked."""
    reading: tuple[Sequence[Text], dict[str, object]] | None = None
    """What Claude read, for people and for `--json`; None: it was not asked."""


def ingest(
    *,
    paths: list[Path],
    rag: bool,
    extract: str,
    dry_run: bool,
    syncs: bool,
    is_sure: bool,
    as_json: bool,
    **given: Any,
) -> int:
    """Ingest all files; 1 if one of them was left out, or a section of one was not read."""
    options = _Options(with_chunks=rag, as_json=as_json, syncs=syncs, is_sure=is_sure)
    terminal = open_terminal()
    if not dry_run:
        _refuse_unsure(terminal, options)
    listing = find_sources(paths, given=Overrides(**given))
    settings = Settings.from_environment()
    if dry_run:
        reader = estimating_reader(settings) if extract == CLAUDE else None
        plans = asyncio.run(_foresee(terminal, settings, listing, options, reader))
        is_whole = not any(isinstance(plan.result, Failed) for plan in plans)
    else:
        act = _ingest_by_claude if extract == CLAUDE else _ingest
        outcome = asyncio.run(act(terminal, settings, listing, options))
        if outcome.changes is None:
            outcome = _withdraw_if_confirmed(terminal, settings, outcome)
        if options.as_json:
            terminal.show_json(
                outcome_as_json(
                    outcome.results,
                    listing,
                    outcome.vanished,
                    outcome.changes or NO_CHANGES,
                    reading=outcome.reading[1] if outcome.reading else None,
                )
            )
        else:
            _show_end(terminal, outcome, listing)
        failed = any(isinstance(item.result, Failed) for item in outcome.results)
        is_whole = not failed and is_complete(outcome.results)
    return 0 if is_whole and not listing.skipped else EXIT_SOME_FAILED


def _refuse_unsure(terminal: Terminal, options: _Options) -> None:
    """Refuse, before anything is done, to withdraw policies if nobody can be asked.

    Raises:
        UsageError: There is no terminal, and no `--yes`; or `--yes` to nothing.
    """
    if options.is_sure and not options.syncs:
        raise UsageError("--yes answers what --sync asks: give both, or neither")
    can_ask = terminal.is_interactive and not options.as_json
    if options.syncs and not options.is_sure and not can_ask:
        raise UsageError(
            "--sync withdraws policies, and nobody can be asked here: add --yes, or see with"
            " --dry-run what it would withdraw"
        )


def _withdraw_if_confirmed(terminal: Terminal, settings: Settings, outcome: _Outcome) -> _Outcome:
    """Ask whether to withdraw the policies whose file is gone; tell of all that changed at once.

    What was published is told of also where nobody answers.
    """
    terminal.show(*(vanished_row(one, is_asked=True) for one in outcome.gone))
    gone: list[PolicyFile] = []
    try:
        if confirmed(terminal, len(outcome.gone)):
            gone = outcome.gone
        else:
            terminal.show(Text("nothing was withdrawn"))
    finally:
        vanished, changes = asyncio.run(_end(terminal, settings, outcome.results, gone))
    untouched = [] if gone else [Vanished(file=one) for one in outcome.gone]
    return replace(outcome, vanished=vanished + untouched, changes=changes)


async def _end(
    terminal: Terminal,
    settings: Settings,
    results: Sequence[FileResult],
    gone: Sequence[PolicyFile],
) -> tuple[list[Vanished], CorpusChanges]:
    async with open_service(terminal, settings) as service:
        done = await _withdraw(terminal, service, gone)
        return done, await _changes(service, results, done)


async def _withdraw(
    terminal: Terminal, service: Service, gone: Sequence[PolicyFile], *, is_quiet: bool = False
) -> list[Vanished]:
    today = service.clock.now().date()
    done = await withdraw_vanished(service.withdrawals, gone, since=today)
    if not is_quiet:
        terminal.show(*map(withdrawn_row, done))
    return done


async def _foresee(
    terminal: Terminal,
    settings: Settings,
    listing: FileListing,
    options: _Options,
    reader: SectionReader | None,
) -> list[FilePlan]:
    """Say what would be done, and do nothing."""
    async with open_service(terminal, settings) as service:
        extractor = ModelExtractor(reader, service.extracted, in_flight=1) if reader else None
        with terminal.busy("Reading the files"):
            plans = await plan_all(
                service, listing.sources, with_chunks=options.with_chunks, extractor=extractor
            )
        keys = [
            None if isinstance(plan.result, Failed) else plan.result.previewed.metadata.key
            for plan in plans
        ]
        gone = await find_vanished(service.withdrawals, listing, keys)
    if options.as_json:
        terminal.show_json(plans_as_json(plans, listing, gone, reader))
        return plans
    for plan in plans:
        terminal.show(plan_row(plan))
    terminal.show(*map(skipped_row, listing.skipped), *map(vanished_row, gone))
    if listing.others:
        terminal.show(Text(other_kinds(len(listing.others))))
    if reader:
        terminal.show(plan_line(sum_of(plans), reader))
    terminal.show(Text("nothing was stored, and nothing was sent"))
    return plans


async def _ingest(
    terminal: Terminal, settings: Settings, listing: FileListing, options: _Options
) -> _Outcome:
    async with open_service(terminal, settings) as service:
        await _warn(terminal, service, options)
        return await _publish(terminal, service, service.ingestor, listing, options)


async def _ingest_by_claude(
    terminal: Terminal, settings: Settings, listing: FileListing, options: _Options
) -> _Outcome:
    """Say what it would cost, read, and say what it did cost.

    Raises:
        ConfigError: There is no access to Claude; nothing was opened.
    """
    async with AsyncExitStack() as stack:
        reader = await stack.enter_async_context(open_section_reader(settings, clock=SystemClock()))
        service = await stack.enter_async_context(open_service(terminal, settings))
        await _warn(terminal, service, options)
        ticks = SectionTicks()
        extractor = ModelExtractor(
            reader, service.extracted, in_flight=settings.extract_in_flight, on_section=ticks
        )
        with terminal.busy("Reading the files"):
            plan = sum_of(
                await plan_all(
                    service, listing.sources, with_chunks=options.with_chunks, extractor=extractor
                )
            )
        ticks.total = plan.to_read
        terminal.remark(plan_line(plan, reader))
        ingestor = service.ingestor.reading_by(extractor)
        try:
            outcome = await _publish(terminal, service, ingestor, listing, options, ticks=ticks)
        except asyncio.CancelledError:
            kept = f"{extractor.use.read} sections were read, and are kept"
            terminal.remark(Text(f"{kept}: the same command goes on from there"))
            raise
    reading: dict[str, object] = {
        "model": reader.model,
        "prompt": reader.prompt,
        **asdict(extractor.use),
        "dropped": dropped_by_reason(outcome.results),
    }
    used = use_lines(extractor.use, reader, outcome.results)
    return replace(outcome, reading=(used, reading))


async def _publish(
    terminal: Terminal,
    service: Service,
    ingestor: Ingestor,
    listing: FileListing,
    options: _Options,
    *,
    ticks: SectionTicks | None = None,
) -> _Outcome:
    """Ingest all files, withdraw what is gone if nobody is to be asked, and tell of it at once.

    What was published before an interruption is in force, and is told of as well.
    """
    results: list[FileResult] = []
    vanished: list[Vanished] = []
    try:
        await ingest_with_progress(
            terminal,
            ingestor,
            listing.sources,
            results,
            with_chunks=options.with_chunks,
            is_quiet=options.as_json,
            ticks=ticks,
        )
        await service.suspensions.compare(on_day=service.clock.now().date())
        gone = await find_vanished(service.withdrawals, listing, keys_of(results))
        if gone and options.syncs and not options.is_sure:
            return _Outcome(results=results, gone=gone, vanished=[], changes=None)
        if options.syncs:
            vanished += await _withdraw(terminal, service, gone, is_quiet=options.as_json)
        else:
            terminal.show(*(map(vanished_row, gone) if not options.as_json else ()))
            vanished += [Vanished(file=one) for one in gone]
    except (asyncio.CancelledError, CiteboundError):
        with suppress(TransientError):
            await _changes(service, results, vanished)
        raise
    changes = await _changes(service, results, vanished)
    return _Outcome(results=results, gone=gone, vanished=vanished, changes=changes)


async def _changes(
    service: Service, results: Sequence[FileResult], vanished: Sequence[Vanished]
) -> CorpusChanges:
    """Compare, record and tell of what was published and withdrawn."""
    done = [one.result.result for one in results if not isinstance(one.result, Failed)]
    versions = [one.version_id for one in done if isinstance(one, Published)]
    withdrawn = [one.file.key for one in vanished if one.withdrawn_in is not None]
    return await service.corpus_changes.settle_ingested(versions, withdrawn)


def _show_end(terminal: Terminal, outcome: _Outcome, listing: FileListing) -> None:
    """Print what was left out, the sums, and what changed."""
    terminal.show(*map(skipped_row, listing.skipped))
    left_out = {"skipped": len(listing.skipped), "others": len(listing.others)}
    terminal.show(summary_line(outcome.results, **left_out))
    terminal.show(*changed_rows(outcome.changes or NO_CHANGES))
    if outcome.reading is not None:
        terminal.show(*outcome.reading[0])


async def _warn(terminal: Terminal, service: Service, options: _Options) -> None:
    serving = await service.serving.serving()
    if serving.problem and options.with_chunks:
        instead = "" if serving.embedder or serving.space else "; search is lexical alone"
        terminal.remark(Text(f"note: {serving.problem}{instead}"))
