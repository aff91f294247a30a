"""Notes are for what somebody should do: the samples, as they are, ask for nothing."""

from pathlib import Path

from bot.console.ingest.ingest_files import ingest_all
from core.ingest.folder_listing import find_sources
from core.ingest.prepare import NOTHING_GIVEN
from core.ingest.publish import Ingested, Ingestor

SAMPLES = Path(__file__).parents[3] / "samples" / "policies"
VERSION = "# Gifts\n\nVersion: {}\n\n1.1 Staff must report gifts within {} days.\n"
MANIFEST = """
[[policy]]
file = "gifts-v1.md"
key = "gifts"
effective_from = 2024-01-01
effective_until = 2025-07-01

[[policy]]
file = "gifts-v2.md"
key = "gifts"
effective_from = {}
"""


async def ingested(ingestor: Ingestor, folder: Path) -> list[Ingested]:
    sources = find_sources([folder], given=NOTHING_GIVEN).sources
    results = [done.result async for done in ingest_all(ingestor, sources, with_chunks=False)]
    return [result for result in results if isinstance(result, Ingested)]


async def test_the_samples_ask_nothing_of_whoever_ingests_them(ingestor: Ingestor) -> None:
    """Neither the first time nor again; what is left out of them is known, and no note."""
    done = await ingested(ingestor, SAMPLES)
    assert len(done) == 14
    again = await ingested(ingestor, SAMPLES)
    assert [note for one in (*done, *again) for note in one.notes] == []
    left_out = {one.source_name: one.left_out for one in again}
    assert left_out["travel.pdf"] == ("left out 20 header, footer and page number lines",)


async def test_a_version_is_over_where_no_other_begins_by_then(
    ingestor: Ingestor, tmp_path: Path
) -> None:
    """The next file of the same run may bring it; one that leaves a gap does not."""
    for place, name in enumerate(("gifts-v1.md", "gifts-v2.md"), start=1):
        (tmp_path / name).write_text(VERSION.format(place, place))
    (tmp_path / "citebound.toml").write_text(MANIFEST.format("2027-01-01"))
    first, _ = await ingested(ingestor, tmp_path)
    assert [note.split(",")[0] for note in first.notes] == ["it ended on 2025-07-01"]
