"""Claude reads sections: what that would take, how far it is, and what it took."""

import asyncio
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.text import Text

from bot.console.ingest.ingest_files import Failed, FileResult, prepared_again, read_all
from bot.console.views.terminal import Row, one_line
from core.bootstrap import Service
from core.domain.errors import ContractError
from core.domain.run import TokenUse, total_cost, total_tokens
from core.ingest.folder_listing import SourceToIngest, read_file
from core.ingest.publish import Previewed
from core.ontology.extract.rule_extractor import extract
from core.ontology.model.model_extractor import ModelExtractor
from core.ports.extraction import ReadingPlan, ReadingReport, ReadingUse, SectionReader

_CENTS = 0.10
"""From here on an amount is shown in cents."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Foreseen:
    """What ingesting a file would do."""

    previewed: Previewed
    """Policy, sections, chunks."""
    entities: int
    """That the rules find."""
    relations: int
    """That the rules find."""
    reading: ReadingPlan | None
    """What Claude would read; None if it is not asked, or the file's facts stay."""

    @property
    def status(self) -> str:
        """What would become of it: `add`, `revise` or `unchanged`."""
        if self.previewed.is_stored:
            return "unchanged"
        return "add" if self.previewed.is_first else "revise"


@dataclass(frozen=True, slots=True, kw_only=True)
class FilePlan:
    """What would become of one file."""

    path: Path
    """The file."""
    result: Foreseen | Failed
    """As foreseen, or why it would be left out."""


async def plan_all(
    service: Service,
    sources: Sequence[SourceToIngest],
    *,
    with_chunks: bool,
    extractor: ModelExtractor | None,
) -> list[FilePlan]:
    """Read all files and say what ingesting them would do. Stores nothing, and asks no model."""
    plans: list[FilePlan] = []
    all_read = deque(await read_all(service.ingestor, sources, with_chunks=with_chunks))
    for source in sources:
        read = all_read.popleft()
        if isinstance(read, Failed):
            plans.append(FilePlan(path=source.path, result=read))
            continue
        try:
            prepared = read.prepared
            if prepared is None:
                data = await asyncio.to_thread(read_file, source.path)
                prepared = await prepared_again(
                    service.ingestor, read, data, with_chunks=with_chunks
                )
            previewed = await service.ingestor.preview(
                prepared, given=source.given, with_chunks=with_chunks, file=source.file
            )
            facts = await asyncio.to_thread(extract, previewed.document)
            result: Foreseen | Failed = Foreseen(
                previewed=previewed,
                entities=len(facts.entities),
                relations=len(facts.relations),
                reading=await extractor.plan(previewed.document)
                if extractor and previewed.may_be_read
                else None,
            )
        except ContractError as error:
            result = Failed(reason=str(error))
        plans.append(FilePlan(path=source.path, result=result))
    return plans


def sum_of(plans: Sequence[FilePlan]) -> ReadingPlan:
    """Return what reading all files would take."""
    found = [plan.result.reading for plan in plans if isinstance(plan.result, Foreseen)]
    readings = [reading for reading in found if reading]
    return ReadingPlan(
        parts=sum(reading.parts for reading in readings),
        to_read=sum(reading.to_read for reading in readings),
        tokens=total_tokens(reading.tokens for reading in readings),
        cost_usd=total_cost(reading.cost_usd for reading in readings),
    )


def plan_row(plan: FilePlan) -> Row:
    """Return what would become of one file."""
    name, result = one_line(plan.path.name), plan.result
    if isinstance(result, Failed):
        line = Text(f"{name}: {one_line(result.reason)}")
        return Row(heads=(Text(f"{'failed':<9}", style="red"),), lines=(line,))
    previewed = result.previewed
    counts = (
        f"{len(previewed.document.sections)} sections, {previewed.chunks} chunks,"
        f" {result.entities} entities, {result.relations} relations by rules"
    )
    lines = [Text(f"{name}: {one_line(previewed.metadata.title)}"), Text(counts, style="dim")]
    if result.reading:
        lines.append(Text(f"Claude would read {_parts(result.reading)}", style="dim"))
    head = Text(f"{result.status:<9}", style="dim" if previewed.is_stored else "green")
    return Row(heads=(head,), lines=tuple(lines))


def plan_line(plan: ReadingPlan, reader: SectionReader) -> Text:
    """Return what reading would take."""
    if not plan.to_read:
        return Text(f"{reader.model} has read all {plan.parts} sections before: nothing is sent")
    return Text(
        f"{reader.model} reads {_parts(plan)}:"
        f" about {_tokens(plan.tokens)}, {usd(plan.cost_usd, about=True)}"
    )


def use_lines(
    use: ReadingUse, reader: SectionReader, results: Sequence[FileResult]
) -> tuple[Text, ...]:
    """Return what reading took, what it gave, and what was left to the rules."""
    reports = _reports(results)
    kept = sum(report.kept for report in reports)
    entities = sum(report.entities for report in reports)
    relations = sum(report.relations for report in reports)
    dropped = dropped_by_reason(results)
    lines = [
        Text(
            f"{reader.model} read {use.read} sections ({kept} were read before):"
            f" {_tokens(use.tokens)}, {usd(use.cost_usd)}"
        ),
        Text(
            f"beyond the rules: {entities} entities, {relations} relations;"
            f" dropped: {_counted(dropped) or 'none'}"
        ),
    ]
    if use.refused:
        lines.append(Text(f"malformed replies refused: {use.refused}"))
    unread = sum(len(report.unread) for report in reports)
    if unread:
        lines.append(
            Text(
                f"{unread} section{'s were' if unread > 1 else ' was'} not read, and"
                f" {'have' if unread > 1 else 'has'} the rules' facts alone:"
                " the same command reads what is missing",
                style="yellow",
            )
        )
    return tuple(lines)


def dropped_by_reason(results: Sequence[FileResult]) -> dict[str, int]:
    """Count what the text did not bear out, over all files."""
    counts: dict[str, int] = {}
    for report in _reports(results):
        for reason, number in report.dropped.items():
            counts[reason] = counts.get(reason, 0) + number
    return dict(sorted(counts.items()))


def is_complete(results: Sequence[FileResult]) -> bool:
    """Say whether every section that was to be read was read."""
    return not any(report.unread for report in _reports(results))


def usd(cost: float | None, *, about: bool = False) -> str:
    """Return an amount of money, or that it is not known."""
    if cost is None:
        return "price unknown"
    shown = f"USD {cost:.2f}" if cost >= _CENTS or not cost else f"USD {cost:.4f}"
    return f"about {shown}" if about else shown


class SectionTicks:
    """Counts sections, and tells whoever watches."""

    def __init__(self) -> None:
        """Expect none, until somebody says how many."""
        self.total = 0
        self.done = 0
        self.watch: Callable[[int, str], None] | None = None

    def __call__(self, heading: str) -> None:
        """One more section is done."""
        self.done += 1
        if self.watch:
            self.watch(self.done, heading)


def _reports(results: Sequence[FileResult]) -> list[ReadingReport]:
    found = [item.result.reading for item in results if not isinstance(item.result, Failed)]
    return [report for report in found if report]


def _parts(plan: ReadingPlan) -> str:
    before = plan.parts - plan.to_read
    return f"{plan.to_read} of {plan.parts} sections" + (
        f" ({before} were read before)" if before else ""
    )


def _tokens(tokens: TokenUse) -> str:
    read = tokens.fresh + tokens.cache_read + tokens.cache_write
    cached = f" ({tokens.cache_read:,} of them from the cache)" if tokens.cache_read else ""
    return f"{read:,} tokens read{cached}, {tokens.output:,} written"


def _counted(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{number} {reason}" for reason, number in counts.items())
