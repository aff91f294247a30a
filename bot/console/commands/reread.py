"""`citebound corpus reread`: stored policies read again, as this release reads them."""

import asyncio
from contextlib import AsyncExitStack
from pathlib import Path

from rich.text import Text

from bot.console.ingest.ingest_files import Failed, FileResult, counts_of, file_row
from bot.console.ingest.ingestion import Ingestion, open_ingestion
from bot.console.sources.shown import changed_rows
from bot.console.views.terminal import open_terminal
from core.adapters.anthropic.extraction.composition import open_section_reader
from core.adapters.system import SystemClock
from core.config.settings import Settings
from core.domain.errors import DocumentError, OvertakenError
from core.ingest.publish import Ingestor
from core.ontology.model.model_extractor import ModelExtractor

EXIT_SOME_FAILED = 1
BY_MODEL = "a model read its facts: `citebound corpus reread --extract claude` reads it again"
OVERTAKEN = "it was ingested meanwhile"


def reread(*, extract: str, as_json: bool) -> int:
    """Read what an earlier release has read; 1 if something could not be."""
    return asyncio.run(_reread(by_claude=extract == "claude", as_json=as_json))


async def _reread(*, by_claude: bool, as_json: bool) -> int:
    terminal, settings = open_terminal(), Settings.from_environment()
    async with AsyncExitStack() as stack:
        reader = None
        if by_claude:  # without access to Claude nothing is opened
            opening = open_section_reader(settings, clock=SystemClock())
            reader = await stack.enter_async_context(opening)
        ingestion = await stack.enter_async_context(open_ingestion(terminal, settings))
        service = ingestion.service
        ingestor = service.ingestor.told_by(ingestion.run)
        if reader is not None:
            ingestor = ingestor.reading_by(
                ModelExtractor(reader, service.extracted, in_flight=settings.extract_in_flight)
            )
        async with ingestion.told_if_interrupted():
            results = await _all(ingestion, ingestor, is_quiet=as_json)
            await service.suspensions.compare(on_day=service.clock.today())
        changes = await ingestion.tell()
    counts = {word: count for word, count in counts_of(results).items() if count}
    if as_json:
        terminal.show_json(counts)
    else:
        told = ", ".join(f"{count} {word}" for word, count in counts.items())
        terminal.show(Text(told or "Every policy is as this release reads it: nothing to do."))
        terminal.show(*changed_rows(changes))
    return EXIT_SOME_FAILED if "failed" in counts else 0


async def _all(ingestion: Ingestion, ingestor: Ingestor, *, is_quiet: bool) -> list[FileResult]:
    """Read each policy, and print a line of each."""
    terminal, results = ingestion.terminal, list[FileResult]()
    keys = await ingestor.store.outdated()
    with terminal.progress("Reading policies again", total=len(keys)) as tick:
        for key in keys:
            try:
                done = await ingestor.reread(key) or Failed(reason=BY_MODEL)
            except DocumentError as error:
                done = Failed(reason=str(error))
            except OvertakenError:
                done = Failed(reason=OVERTAKEN)
            results.append(FileResult(path=Path(key), result=done))
            tick()
            if not is_quiet:
                terminal.show(file_row(results[-1]))
    return results
