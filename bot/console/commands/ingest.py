"""`citebound ingest`: files into the corpus."""

import asyncio
from argparse import Namespace
from collections.abc import Sequence

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
from bot.console.sources import Source, find_sources
from bot.console.terminal import Terminal, open_terminal
from core.ingest.prepare import Overrides
from core.ports import Published

EXIT_SOME_FAILED = 1


def run(arguments: Namespace) -> int:
    """Ingest all files; 1 if one of them failed."""
    sources = find_sources(arguments.paths, given=_given(arguments))
    results = asyncio.run(
        _ingest(open_terminal(), sources, with_chunks=arguments.rag, as_json=arguments.as_json)
    )
    return EXIT_SOME_FAILED if any(isinstance(item.result, Failed) for item in results) else 0


async def _ingest(
    terminal: Terminal, sources: Sequence[Source], *, with_chunks: bool, as_json: bool
) -> list[FileResult]:
    async with opened(terminal) as service:
        serving = await service.serving.serving()
        if serving.problem and with_chunks:
            instead = "" if serving.embedder or serving.space else "; search is lexical alone"
            terminal.remark(Text(f"note: {serving.problem}{instead}"))
        results = await ingest_with_progress(
            terminal, service, sources, with_chunks=with_chunks, is_quiet=as_json
        )
    if as_json:
        terminal.show_json({"files": [_as_json(item) for item in results], **counts_of(results)})
    else:
        terminal.show(summary_line(results))
    return results


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
    return found
