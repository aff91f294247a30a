"""What a model read in a section is kept as it was read."""

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from core.adapters.postgres.ontology.ontology_writer import PostgresExtractedSections
from core.domain.proposals import ProposedEntity, ProposedFacts, ProposedRelation
from core.domain.run import TokenUse
from core.ports.extraction import SectionReading

FACTS = ProposedFacts(
    entities=(
        ProposedEntity(
            id="e1",
            type="Role",
            name="Officer \u2013 \U0001f600",
            quote='"Officer" <b>\\',
            aliases=("O",),
            attributes={"actor": "x"},
        ),
    ),
    relations=(ProposedRelation(source="e1", type="references", target="section", quote="q"),),
)


def reading(facts: ProposedFacts = FACTS) -> SectionReading:
    return SectionReading(proposals=facts, tokens=TokenUse(fresh=7, output=3), cost_usd=None)


async def test_a_reading_comes_back_for_its_section_model_and_prompt(engine: AsyncEngine) -> None:
    """And for no other; the first one stays."""
    kept = PostgresExtractedSections(engine)
    assert await kept.find([b"one"], model="m", prompt="extract/1") == {}
    assert await kept.find([], model="m", prompt="extract/1") == {}
    await kept.put(b"one", reading(), model="m", prompt="extract/1", dropped={"unknown_type": 2})
    await kept.put(b"one", reading(ProposedFacts()), model="m", prompt="extract/1", dropped={})
    assert await kept.find([b"one", b"two"], model="m", prompt="extract/1") == {b"one": FACTS}
    assert await kept.find([b"one"], model="m", prompt="extract/2") == {}
    assert await kept.find([b"one"], model="n", prompt="extract/1") == {}
    async with engine.connect() as connection:
        row = (
            await connection.execute(
                text("SELECT dropped, usage, cost_usd FROM citebound.extracted_sections")
            )
        ).one()
    assert row.dropped == {"unknown_type": 2}
    assert (row.usage["fresh"], row.usage["output"], row.cost_usd) == (7, 3, None)
