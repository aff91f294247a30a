"""The words of the evidence of an answer, and how it is parted into pages."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeVar

from bot.replies.answer import is_partial
from core.domain.answer import Answer

TITLE = "Evidence"
AROUND = 600
"""Characters of context before and after a quote."""
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Around:
    """What stands in the policy around a quote."""

    before: str = ""
    """Up to it."""
    after: str = ""
    """From its end."""

    @property
    def shown_before(self) -> str:
        """The end of what stands before."""
        return self.before if len(self.before) <= AROUND else f"…{self.before[-AROUND:]}"

    @property
    def shown_after(self) -> str:
        """The beginning of what stands after."""
        return self.after if len(self.after) <= AROUND else f"{self.after[:AROUND]}…"


class Level(StrEnum):
    """How a verdict is shown; its words say it too."""

    NOTHING = "info"
    PARTLY = "warning"
    ALL = "success"


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """The first line of the evidence."""

    level: Level
    """Its colour."""
    text: str
    """Its words."""


def summary_of(answer: Answer) -> Summary:
    """Return how many claims are supported."""
    if answer.is_closest:
        told = "Quoted word by word from the policy. It may not answer the question."
        return Summary(level=Level.PARTLY, text=told)
    total = len(answer.claims)
    supported = f"{total} of {total} claims are supported by quoted policy text."
    if not total:
        told = "No statement was made, so there is nothing to quote."
        return Summary(level=Level.NOTHING, text=told)
    if is_partial(answer):
        told = f"{supported} Others could not be checked and were left out."
        return Summary(level=Level.PARTLY, text=told)
    return Summary(level=Level.ALL, text=supported)


def paged(
    units: Sequence[list[_T]], *, size: Callable[[list[_T]], int], most: int, items: int
) -> Iterator[list[_T]]:
    """Yield pages: units in order, none parted, as many as fit.

    Args:
        units: what must stay together.
        size: how large one is.
        most: how large a page may be; a unit that is larger stands alone.
        items: how many items a page may have.
    """
    page: list[_T] = []
    length = 0
    for unit in units:
        added = size(unit)
        if page and (len(page) + len(unit) > items or length + added > most):
            yield page
            page, length = [], 0
        page, length = [*page, *unit], length + added
    if page:
        yield page
