"""What a model read in sections, kept so that none is paid for twice."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict

from sqlalchemy import select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncEngine

from core.adapters.postgres.engine.database import raises_transient
from core.adapters.postgres.engine.tables import extracted_sections
from core.domain.errors import ContractError, IntegrityError
from core.domain.proposals import ProposedFacts, facts_from_json, facts_to_json
from core.domain.run import Json
from core.ports.extraction import SectionReading


class PostgresExtractedSections:
    """See `core.ports.extraction.ExtractedSections`. Safe from many processes."""

    def __init__(self, engine: AsyncEngine) -> None:
        """Use a migrated database."""
        self._engine = engine

    @raises_transient
    async def find(
        self, keys: Sequence[bytes], /, *, model: str, prompt: str
    ) -> dict[bytes, ProposedFacts]:
        """See `ExtractedSections.find`.

        Raises:
            IntegrityError: What is kept is not what was put there.
        """
        if not keys:
            return {}
        kept = extracted_sections.c
        query = select(kept.section_hash, kept.proposals).where(
            kept.section_hash.in_(keys), kept.model == model, kept.prompt == prompt
        )
        async with self._engine.connect() as connection:
            rows = (await connection.execute(query)).all()
        return {bytes(row.section_hash): _proposals(row.proposals) for row in rows}

    @raises_transient
    async def put(
        self,
        key: bytes,
        reading: SectionReading,
        /,
        *,
        model: str,
        prompt: str,
        dropped: Mapping[str, int],
    ) -> None:
        """See `ExtractedSections.put`."""
        row = insert(extracted_sections).values(
            section_hash=key,
            model=model,
            prompt=prompt,
            proposals=facts_to_json(reading.proposals),
            dropped=dict(dropped),
            usage=asdict(reading.tokens),
            cost_usd=reading.cost_usd,
        )
        async with self._engine.begin() as connection:
            await connection.execute(row.on_conflict_do_nothing())


def _proposals(stored: Json) -> ProposedFacts:
    try:
        return facts_from_json(stored)
    except ContractError as error:
        raise IntegrityError(f"a kept reading of a section is damaged: {error}") from error
