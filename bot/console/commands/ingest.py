"""`citebound ingest`: files into the corpus, their facts by rules or also by Claude."""

import asyncio
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from rich.text import Text

from bot.console.commands.withdraw import (
    Vanished,
    confirmed,
    find_vanished,
    vanished_row,
    withdraw_vanished,
    withdrawn_row,
)
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
    counts_of,
    ingest_with_progress,
    keys_of,
    skipped_row,
    status_of,
    summary_line,
)
from bot.console.open_service import open_service
from bot.console.sources.shown import changed_rows
from bot.console.views.terminal import Row, Terminal, open_terminal
from core.adapters.anthropic.extraction.composition import estimating_reader, open_section_reader
from core.adapters.postgres.corpus.withdrawals import PolicyFile
from core.adapters.system import SystemClock
from core.bootstrap import Service
from core.config.settings import Settings
from core.domain.errors import UsageError
from core.ingest.changes import CorpusChanges, change_json
from core.ingest.folder_listing import FileListing, find_sources, other_kinds
from core.ingest.prepare import Overrides
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
    changes: CorpusChanges
    """What changed, policy by policy."""
    reading: dict[str, object] | None = None
    """What Claude read, for `--json`; None: it was not asked."""


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
        vanished = _settle(terminal, settings, outcome, options)
        if options.as_json:
            terminal.show_json(_outcome_as_json(outcome, listing, vanished))
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


def _settle(
    terminal: Terminal, settings: Settings, outcome: _Outcome, options: _Options
) -> list[Vanished]:
    """List policies whose file is gone, and withdraw them if that was asked for and confirmed."""
    gone = outcome.gone
    if not options.as_json:
        terminal.show(*map(vanished_row, gone))
    if not gone or not options.syncs:
        return [Vanished(file=one) for one in gone]
    if not options.is_sure and not confirmed(terminal, len(gone)):
        terminal.show(Text("nothing was withdrawn"))
        return [Vanished(file=one) for one in gone]
    done = asyncio.run(_withdraw(terminal, settings, gone))
    if not options.as_json:
        terminal.show(*map(withdrawn_row, done))
    return done


async def _withdraw(
    terminal: Terminal, settings: Settings, gone: Sequence[PolicyFile]
) -> list[Vanished]:
    async with open_service(terminal, settings) as service:
        today = service.clock.now().date()
        done = await withdraw_vanished(service.withdrawals, gone, since=today)
        keys = [one.file.key for one in done if one.withdrawn_in is not None]
        await service.corpus_changes.settle_ingested((), keys)
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
        terminal.show_json(_plans_as_json(plans, listing, gone, reader))
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
        results = await ingest_with_progress(
            terminal,
            service.ingestor,
            listing.sources,
            with_chunks=options.with_chunks,
            is_quiet=options.as_json,
        )
        await service.suspensions.compare(on_day=service.clock.now().date())
        changes = await _changes(service, results)
        gone = await find_vanished(service.withdrawals, listing, keys_of(results))
    if not options.as_json:
        _show_end(terminal, results, listing, changed_rows(changes))
    return _Outcome(results=results, gone=gone, changes=changes)


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
        try:
            results = await ingest_with_progress(
                terminal,
                service.ingestor.reading_by(extractor),
                listing.sources,
                with_chunks=options.with_chunks,
                is_quiet=options.as_json,
                ticks=ticks,
            )
        except asyncio.CancelledError:
            kept = f"{extractor.use.read} sections were read, and are kept"
            terminal.remark(Text(f"{kept}: the same command goes on from there"))
            raise
        await service.suspensions.compare(on_day=service.clock.now().date())
        changes = await _changes(service, results)
        gone = await find_vanished(service.withdrawals, listing, keys_of(results))
    if not options.as_json:
        used = use_lines(extractor.use, reader, results)
        _show_end(terminal, results, listing, [*changed_rows(changes), *used])
    reading: dict[str, object] = {
        "model": reader.model,
        "prompt": reader.prompt,
        **asdict(extractor.use),
        "dropped": dropped_by_reason(results),
    }
    return _Outcome(results=results, gone=gone, changes=changes, reading=reading)


async def _changes(service: Service, results: Sequence[FileResult]) -> CorpusChanges:
    """Compare, record and tell of what was published."""
    done = [one.result.result for one in results if not isinstance(one.result, Failed)]
    versions = [one.version_id for one in done if isinstance(one, Published)]
    return await service.corpus_changes.settle_ingested(versions, ())


def _show_end(
    terminal: Terminal,
    results: Sequence[FileResult],
    listing: FileListing,
    more: Sequence[Text | Row] = (),
) -> None:
    """Print what was left out, and the sums."""
    terminal.show(*map(skipped_row, listing.skipped))
    left_out = {"skipped": len(listing.skipped), "others": len(listing.others)}
    terminal.show(summary_line(results, **left_out), *more)


async def _warn(terminal: Terminal, service: Service, options: _Options) -> None:
    serving = await service.serving.serving()
    if serving.problem and options.with_chunks:
        instead = "" if serving.embedder or serving.space else "; search is lexical alone"
        terminal.remark(Text(f"note: {serving.problem}{instead}"))


def _plans_as_json(
    plans: Sequence[FilePlan],
    listing: FileListing,
    gone: Sequence[PolicyFile],
    reader: SectionReader | None,
) -> dict[str, object]:
    files: list[dict[str, object]] = []
    for plan in plans:
        result = plan.result
        if isinstance(result, Failed):
            files.append({"file": str(plan.path), "status": "failed", "reason": result.reason})
            continue
        files.append(
            {
                "file": str(plan.path),
                "status": result.status,
                "policy": result.previewed.metadata.key,
                "title": result.previewed.metadata.title,
                "sections": len(result.previewed.document.sections),
                "chunks": result.previewed.chunks,
                "entities": result.entities,
                "relations": result.relations,
                "reading": asdict(result.reading) if result.reading else None,
            }
        )
    reading = {"model": reader.model, **asdict(sum_of(plans))} if reader else None
    return {
        "files": [*files, *_skipped_as_json(listing)],
        "others": [str(one) for one in listing.others],
        "gone": [_gone_as_json(Vanished(file=one)) for one in gone],
        "reading": reading,
    }


def _outcome_as_json(
    outcome: _Outcome, listing: FileListing, vanished: Sequence[Vanished]
) -> dict[str, object]:
    found: dict[str, object] = {
        "files": [*map(_as_json, outcome.results), *_skipped_as_json(listing)],
        **counts_of(outcome.results),
        "skipped": len(listing.skipped),
        "others": [str(one) for one in listing.others],
        "gone": [_gone_as_json(one) for one in vanished],
        "changes": [change_json(one) for one in outcome.changes.policies],
    }
    return found | ({"reading": outcome.reading} if outcome.reading else {})


def _skipped_as_json(listing: FileListing) -> list[dict[str, object]]:
    return [
        {"file": str(each.path), "status": "skipped", "reason": each.reason}
        for each in listing.skipped
    ]


def _gone_as_json(one: Vanished) -> dict[str, object]:
    return {
        "policy": one.file.key,
        "title": one.file.title,
        "file": one.file.path,
        "withdrawn_in": one.withdrawn_in,
    }


def _as_json(item: FileResult) -> dict[str, object]:
    done = item.result
    if isinstance(done, Failed):
        return {"file": str(item.path), "status": "failed", "reason": done.reason}
    found: dict[str, object] = {
        "file": str(item.path),
        "status": status_of(done).word,
        "policy": done.metadata.key,
        "title": done.metadata.title,
        "label": done.metadata.label,
        "version_id": done.result.version_id,
        "sections": done.sections,
        "notes": list(done.notes),
    }
    if isinstance(done.result, Published):
        found |= {
            "edition": done.result.edition,
            "chunks": done.result.chunks,
            "chunks_embedded": done.result.chunks_embedded,
            "entities": done.result.entities,
            "relations": done.result.relations,
        }
    if done.reading:
        found["reading"] = asdict(done.reading)
    return found
