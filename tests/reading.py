"""Files read in the test's own process: for tests of what becomes of them afterwards."""

from core.ingest.prepare import NOTHING_GIVEN, Overrides, Prepared, prepare


class UnconfinedReader:
    """Reads without limits, and without the third of a second that a child takes to start."""

    async def prepare(
        self,
        data: bytes,
        *,
        source_name: str,
        given: Overrides = NOTHING_GIVEN,
        with_chunks: bool = True,
    ) -> Prepared:
        return prepare(data, source_name=source_name, given=given, with_chunks=with_chunks)

    async def close(self) -> None:
        """No child was started."""
