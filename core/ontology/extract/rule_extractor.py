"""Facts by rules alone: the extraction that needs no model."""

import asyncio

from core.domain.ontology import Extraction
from core.ontology.extract.extract import extract
from core.ports.extraction import BY_RULES, Extracted, SourceDocument


class RuleExtractor:
    """See `core.ports.extraction.Extractor`."""

    rereads = False

    async def extract(self, document: SourceDocument, /) -> Extracted:
        """See `Extractor.extract`."""
        return Extracted(extraction=await asyncio.to_thread(by_rules, document), by=BY_RULES)


def by_rules(document: SourceDocument) -> Extraction:
    """Return what the rules find in a document."""
    return extract(
        document.text,
        document.sections,
        policy_key=document.policy_key,
        title=document.title,
        jurisdiction=document.jurisdiction,
    )
