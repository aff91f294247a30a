"""Parts of the product on a real database, and services that are real servers."""

import pytest

from core.adapters.local.embedder import LocalEmbedder, find_local_embedder
from tests.saved_work import saved_work

__all__ = ["saved_work"]


@pytest.fixture(scope="session")
def local_embedder() -> LocalEmbedder:
    """The embedder of the product, loaded once."""
    found = find_local_embedder(None)
    assert isinstance(found, LocalEmbedder)
    return found
