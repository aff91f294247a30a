"""Cases and feedback. Safe from many processes.

Each change stands in one transaction with its record and with what is to be posted.
"""

from collections.abc import Collection
from typing import Protocol

from core.domain.case import Case, CaseState
from core.domain.case_rules import Account, CaseAction, CaseResult, Opening
from core.domain.feedback import Feedback, FeedbackKept, FeedbackRefused


class CaseStore(Protocol):
    """Questions in the hands of officers."""

    async def open(self, opening: Opening, /) -> CaseResult:
        """Open the case of an answer, and queue its card and a line for the asker.

        There is one case for an answer at most: a second wish is told of the first. To one that was
        opened for them an asker adds note and name instead, once.
        """
        ...

    async def act(self, deed: CaseAction, /) -> CaseResult:
        """Do something to a case, or refuse it (`core.domain.case_rules.judge`); both are recorded.

        A repeated click is told what came of the first.
        """
        ...

    async def find(self, name: str, /) -> Case | None:
        """Return a case as officers see it, by its id or its number; None: there is none."""
        ...

    async def about(self, answer_id: str, account: Account, /) -> Case | None:
        """Return the case of an answer as its asker sees it; None: there is none in this workspace.

        Whoever asks has checked that the account may open one.
        """
        ...

    async def listed(self, states: Collection[CaseState], /) -> tuple[Case, ...]:
        """Return cases as officers see them: the most urgent first, then the oldest."""
        ...

    async def of_asker(self, account: Account, /) -> tuple[Case, ...]:
        """Return the cases of an asker that are not closed, newest first, with their places."""
        ...


class FeedbackStore(Protocol):
    """What people think of answers."""

    async def give(self, feedback: Feedback, /) -> FeedbackKept | FeedbackRefused:
        """Keep a judgement with its record; idempotent by its key."""
        ...
