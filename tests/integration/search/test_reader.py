"""The reader in the service."""

from pathlib import Path

import pytest

from core.adapters.local.reader import SHIPPED_SHA256
from core.bootstrap import bootstrap
from core.config import Settings
from core.domain.errors import ConfigError
from tests.fakes import ScriptedReader


async def test_the_shipped_reader_serves_unless_it_is_replaced(database_url: str) -> None:
    """By a parameter, or by none."""
    settings = Settings(database_url=database_url)
    async with bootstrap(settings) as service:
        assert service.reader is not None
        assert service.reader.name == f"local:reader/{SHIPPED_SHA256[:12]}"
    given = ScriptedReader()
    async with bootstrap(settings, reader=given) as service:
        assert service.reader is given
    async with bootstrap(Settings(database_url=database_url, reader_model=Path("none"))) as service:
        assert service.reader is None


async def test_a_service_with_a_wrong_reader_does_not_start(
    database_url: str, tmp_path: Path
) -> None:
    """One that was named is wanted."""
    settings = Settings(database_url=database_url, reader_model=tmp_path)
    with pytest.raises(ConfigError, match="CITEBOUND_READER_MODEL"):
        async with bootstrap(settings):
            pass
