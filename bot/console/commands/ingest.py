"""`citebound ingest`: files into the corpus, their facts by rules or also by Claude."""

import asyncio
from argparse import Namespace
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import asdict, dataclass

from rich.text import Text

from bot.console.ingesting import (
    Failed,
    FileResult,
    counts_of,
    ingest_with_progress,
    status_of,
    summary_line,
)
from bot.console.opening import opened
from bot.console.reading import (
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
from bot.console.sources import Source, find_sources
from bot.console.terminal import Terminal, open_terminal
from core.adapters.anthropic.extraction import estimating_reader, open_section_reader
from core.adapters.system import SystemClock
from core.bootstrap import Service
from core.config import Settings
from core.ingest.prepare import Overrides
from core.ontology.by_model import ModelExtractor
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


def run(arguments: Namespace) -> int:
    """Ingest all files; 1 if one of them failed, or a section of one was not read."""
    sources = find_sources(arguments.paths, given=_given(arguments))
    options = _Options(with_chunks=arguments.rag, as_json=arguments.as_json)
    terminal, settings = open_terminal(), Settings.from_environment()
    if arguments.dry_run:
        reader = estimating_reader(settings) if arguments.extract == CLAUDE else None
        plans = asyncio.run(_foresee(terminal, settings, sources, options, reader))
        return EXIT_SOME_FAILED if any(isinstance(plan.result, Failed) for plan in plans) else 0
    if arguments.extract == CLAUDE:
        results = asyncio.run(_ingest_by_claude(terminal, settings, sources, options))
    else:
        results = asyncio.run(_ingest(terminal, settings, sources, options))
    failed = any(isinstance(item.result, Failed) for item in results)
    return EXIT_SOME_FAILED if failed or not is_complete(results) else 0


async def _foresee(
    terminal: Terminal,
    settings: Settings,
    sources: Sequence[Source],
    options: _Options,
    reader: SectionReader | None,
) -> list[FilePlan]:
    """Say what would be done, and do nothing."""
    async with opened(terminal, settings) as service:
        extractor = ModelExtractor(reader, service.extracted, in_flight=1) if reader else None
        with terminal.busy("Reading the files"):
            plans = await plan_all(
                service, sources, with_chunks=options.with_chunks, extractor=extractor
            )
    if options.as_json:
        terminal.show_json(_plans_as_json(plans, reader))
        return plans
    for plan in plans:
        terminal.show(plan_row(plan))
    if reader:
        terminal.show(plan_line(sum_of(plans), reader))
    terminal.show(Text("nothing was stored, and nothing was sent"))
    return plans


async def _ingest(
    terminal: Terminal, settings: Settings, sources: Sequence[Source], options: _Options
) -> list[FileResult]:
    async with opened(terminal, settings) as service:
        await _warn(terminal, service, options)
        results = await ingest_with_progress(
            terminal,
            service.ingestor,
            sources,
            with_chunks=options.with_chunks,
            is_quiet=options.as_json,
        )
    if options.as_json:
        terminal.show_json(_results_as_json(results))
    else:
        terminal.show(summary_line(results))
    return results


async def _ingest_by_claude(
    terminal: Terminal, settings: Settings, sources: Sequence[Source], options: _Options
) -> list[FileResult]:
    """Say what it would cost, read, and say what it did cost.

    Raises:
        ConfigError: There is no access to Claude; nothing was opened.
    """
    async with AsyncExitStack() as stack:
        reader = await stack.enter_async_context(open_section_reader(settings, clock=SystemClock()))
        service = await stack.enter_async_context(opened(terminal, settings))
        await _warn(terminal, service, options)
        ticks = SectionTicks()
        extractor = ModelExtractor(
            reader, service.extracted, in_flight=settings.extract_in_flight, on_section=ticks
        )
        with terminal.busy("Reading the files"):
            plan = sum_of(
                await plan_all(
                    service, sources, with_chunks=options.with_chunks, extractor=extractor
                )
            )
        ticks.total = plan.to_read
        terminal.remark(plan_line(plan, reader))
        try:
            results = await ingest_with_progress(
                terminal,
                service.ingestor.reading_by(extractor),
                sources,
                with_chunks=options.with_chunks,
                is_quiet=options.as_json,
                ticks=ticks,
            )
        except asyncio.CancelledError:
            kept = f"{extractor.use.read} sections were read, and are kept"
            terminal.remark(Text(f"{kept}: the same command goes on from there"))
            raise
    if options.as_json:
        use = {"model": reader.model, "prompt": reader.prompt, **asdict(extractor.use)}
        dropped = dropped_by_reason(results)
        terminal.show_json(_results_as_json(results) | {"reading": use | {"dropped": dropped}})
    else:
        terminal.show(summary_line(results), *use_lines(extractor.use, reader, results))
    return results


async def _warn(terminal: Terminal, service: Service, options: _Options) -> None:
    serving = await service.serving.serving()
    if serving.problem and options.with_chunks:
        instead = "" if serving.embedder or serving.space else "; search is lexical alone"
        terminal.remark(Text(f"note: {serving.problem}{instead}"))


def _given(arguments: Namespace) -> Overrides:
    return Overrides(
        key=arguments.key,
        title=arguments.title,
        label=arguments.label,
        owner=arguments.owner,
        jurisdiction=arguments.jurisdiction,
        audience=arguments.audience,
        tags=arguments.tags,
        effective_from=arguments.effective_from,
        effective_until=arguments.effective_until,
        upload_id=arguments.upload_id,
    )


def _plans_as_json(plans: Sequence[FilePlan], reader: SectionReader | None) -> dict[str, object]:
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
    return {"files": files, "reading": reading}


def _results_as_json(results: Sequence[FileResult]) -> dict[str, object]:
    return {"files": [_as_json(item) for item in results], **counts_of(results)}


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
