"""Parts of the product on a real database, and services that are real servers."""

from tests.saved_work import saved_work

__all__ = ["saved_work"]
