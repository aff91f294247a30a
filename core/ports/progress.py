"""Who is told what is being done while it is done. Never told a word of an unverified answer."""

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True, kw_only=True)
class Progressed:
    """A stage has begun; the one before it is over."""

    stage: str
    """`plan`, `explore`, `retrieve`, `draft`, `verify`, `review`."""
    words: str
    """What is being done, for people ("Searching 214 sections")."""


class Progress(Protocol):
    """A surface that shows what is being done. Must return at once, and never raises."""

    def report(self, progressed: Progressed, /) -> None:
        """Show a stage; the same stage may come again with a second draft."""
        ...
