"""Fixtures around calls of models."""

import pytest

from tests.integration.anthropic.world import InMemoryCallLog


@pytest.fixture
def log() -> InMemoryCallLog:
    """An empty ledger."""
    return InMemoryCallLog()
