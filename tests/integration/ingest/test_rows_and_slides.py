"""Rows of a sheet and slides, as the database says where they are."""

from typing import Any

from sqlalchemy.ext.asyncio import AsyncEngine

from core.adapters.postgres.ontology.ontology_reader import PostgresOntologyStore
from core.domain.ontology import page_name
from core.ingest.load import load
from core.ingest.prepare import Overrides
from core.ingest.publish import Ingestor
from core.language.spans import Span
from tests.databases import corpus_store
from tests.integration.ingest.test_what_a_scope_reads import EVERYONE
from tests.unit.ingest.office_files import presentation, slide, workbook


async def test_what_is_quoted_of_a_sheet_or_slide_has_its_number(
    ingestor: Ingestor, engine: AsyncEngine
) -> None:
    """Rows are counted within their sheet, also by what reads the facts; slides within the deck."""

    def limits(book: Any) -> None:
        for name in ("Hotels", "Meals"):
            page = book.create_sheet(name)
            for row in [("City", "Limit"), (), ("Oslo", f"{name} must not exceed EUR 90")]:
                page.append(row)

    def signing(deck: Any) -> None:
        for name in "ab":
            slide(deck, f"Rule {name}", f"Staff must sign {name}.")

    for name, data, sought, shown in (
        ("a.xlsx", workbook(limits), "Hotels must", "row 3 of the sheet"),
        ("a.xlsx", workbook(limits), "Meals must", "row 3 of the sheet"),
        ("b.pptx", presentation(signing), "sign b", "slide 2"),
    ):
        result = (
            await ingestor.ingest(data, source_name=name, given=Overrides(), with_chunks=True)
        ).result
        at = load(data, source_name=name).text.index(sought)
        span = Span(version_id=result.version_id, char_start=at, char_end=at + len(sought))
        place = (await corpus_store(engine).places([span]))[span]
        assert page_name(place.eid, place.page) == shown
        known = await PostgresOntologyStore(engine).snapshot(EVERYONE)
        places = [known.places[span] for span, quote in known.quotes.items() if sought in quote]
        assert {page_name(place.eid, place.page) for place in places} == {shown}
