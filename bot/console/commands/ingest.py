"""`citebound ingest`: files into the corpus, their facts by rules or also by Claude."""

import asyncio
from collections.abc import Sequence
from contextlib import AsyncExitStack
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
from bot.console.ingest.ingestion import Ingestion, open_ingestion
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
from core.adapters.anthropic.extraction.extractor import ClaudeSectionReader
from core.adapters.postgres.corpus.withdrawals import PolicyFile
from core.adapters.system import SystemClock
from core.bootstrap import Service
from core.config.settings import Settings
from core.domain.errors import UsageError
from core.ingest.changes import NO_CHANGES, CorpusChanges
from core.ingest.folder_listing import FileListing, find_sources, other_kinds
from core.ingest.prepare import Overrides
from core.ingest.publish import Ingestor
from core.ontology.model.model_extractor import ModelExtractor
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
        outcome = _store(terminal, settings, listing, options, by_claude=extract == CLAUDE)
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
        raise UsageError("--yes answers the question that --sync asks: give both, or neither")
    can_ask = terminal.is_interactive and not options.as_json
    if options.syncs and not options.is_sure and not can_ask:
        raise UsageError(
            "--sync withdraws policies and cannot ask without a terminal: add --yes, or use"
            " --dry-run to see what it would withdraw"
        )


def _store(
    terminal: Terminal,
    settings: Settings,
    listing: FileListing,
    options: _Options,
    *,
    by_claude: bool,
) -> _Outcome:
    """Ingest all files; if somebody is asked meanwhile, the run stays open."""
    stack, reader = AsyncExitStack(), None
    with asyncio.Runner() as runner:
        try:
            if by_claude:  # without access to Claude nothing is opened
                opening = open_section_reader(settings, clock=SystemClock())
                reader = runner.run(stack.enter_async_context(opening))
            ingestion = runner.run(stack.enter_async_context(open_ingestion(terminal, settings)))
            outcome = runner.run(
                _ingest(ingestion, listing, options)
                if reader is None
                else _ingest_by_claude(ingestion, settings, reader, listing, options)
            )
            if outcome.changes is None:
                outcome = _withdraw_if_confirmed(runner, ingestion, outcome)
        finally:
            runner.run(stack.aclose())
    return outcome


def _withdraw_if_confirmed(
    runner: asyncio.Runner, ingestion: Ingestion, outcome: _Outcome
) -> _Outcome:
    """Ask whether to withdraw the policies whose file is gone; tell of all that changed at once.

    What was published is told of also where nobody answers.
    """
    terminal = ingestion.terminal
    terminal.show(*(vanished_row(one, is_asked=True) for one in outcome.gone))
    gone: list[PolicyFile] = []
    try:
        if confirmed(terminal, len(outcome.gone)):
            gone = outcome.gone
        else:
            terminal.show(Text("nothing was withdrawn"))
    finally:
        vanished, changes = runner.run(_end(ingestion, gone))
    untouched = [] if gone else [Vanished(file=one) for one in outcome.gone]
    return replace(outcome, vanished=vanished + untouched, changes=changes)


async def _end(
    ingestion: Ingestion, gone: Sequence[PolicyFile]
) -> tuple[list[Vanished], CorpusChanges]:
    async with ingestion.told_if_interrupted():
        done = await _withdraw(ingestion, gone)
    return done, await ingestion.tell()


async def _withdraw(
    ingestion: Ingestion, gone: Sequence[PolicyFile], *, is_quiet: bool = False
) -> list[Vanished]:
    today = ingestion.service.clock.today()
    done = await withdraw_vanished(
        ingestion.service.withdrawals, gone, since=today, run=ingestion.run
    )
    if not is_quiet:
        ingestion.terminal.show(*map(withdrawn_row, done))
    return done


async def _foresee(
    terminal: Terminal,
    settings: Settings,
    listing: FileListing,
    options: _Options,
    reader: SectionReader | None,
) -> list[FilePlan]:
    """Say what would be done, and do nothing."""
    async with open_service(Service, terminal, settings) as service:
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


async def _ingest(ingestion: Ingestion, listing: FileListing, options: _Options) -> _Outcome:
    await _warn(ingestion, options)
    return await _publish(ingestion, ingestion.service.ingestor, listing, options)


async def _ingest_by_claude(
    ingestion: Ingestion,
    settings: Settings,
    reader: ClaudeSectionReader,
    listing: FileListing,
    options: _Options,
) -> _Outcome:
    """Say what it would cost, read, and say what it did cost."""
    terminal, service = ingestion.terminal, ingestion.service
    await _warn(ingestion, options)
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
        outcome = await _publish(ingestion, ingestor, listing, options, ticks=ticks)
    except asyncio.CancelledError:
        terminal.remark(Text(f"{extractor.use.read} sections were read, and are kept"))
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
    ingestion: Ingestion,
    ingestor: Ingestor,
    listing: FileListing,
    options: _Options,
    *,
    ticks: SectionTicks | None = None,
) -> _Outcome:
    """Ingest all files, withdraw what is gone if nobody is to be asked, and tell of it at once."""
    terminal, service = ingestion.terminal, ingestion.service
    results: list[FileResult] = []
    vanished: list[Vanished] = []
    async with ingestion.told_if_interrupted():
        await ingest_with_progress(
            terminal,
            ingestor.told_by(ingestion.run),
            listing.sources,
            results,
            with_chunks=options.with_chunks,
            is_quiet=options.as_json,
            ticks=ticks,
        )
        await service.suspensions.compare(on_day=service.clock.today())
        gone = await find_vanished(service.withdrawals, listing, keys_of(results))
        if gone and options.syncs and not options.is_sure:
            return _Outcome(results=results, gone=gone, vanished=[], changes=None)
        if options.syncs:
            vanished += await _withdraw(ingestion, gone, is_quiet=options.as_json)
        else:
            terminal.show(*(map(vanished_row, gone) if not options.as_json else ()))
            vanished += [Vanished(file=one) for one in gone]
    changes = await ingestion.tell()
    return _Outcome(results=results, gone=gone, vanished=vanished, changes=changes)


def _show_end(terminal: Terminal, outcome: _Outcome, listing: FileListing) -> None:
    """Print what was left out, the sums, and what changed."""
    terminal.show(*map(skipped_row, listing.skipped))
    left_out = {"skipped": len(listing.skipped), "others": len(listing.others)}
    terminal.show(summary_line(outcome.results, **left_out))
    terminal.show(*changed_rows(outcome.changes or NO_CHANGES))
    if outcome.reading is not None:
        terminal.show(*outcome.reading[0])


async def _warn(ingestion: Ingestion, options: _Options) -> None:
    serving = await ingestion.service.serving.serving()
    if serving.problem and options.with_chunks:
        instead = "" if serving.embedder or serving.space else "; search is lexical only"
        ingestion.terminal.remark(Text(f"note: {serving.problem}{instead}"))
