"""Errors, grouped by what the caller does about them.

CiteboundError
├── ConfigError      a setting is missing or contradictory    refuse to start, name it
│   ├── EmptyCorpusError  nothing has been ingested yet       say how to ingest
│   ├── PrivilegedLoginError  the database lets it do too much  refuse to start
│   └── CredentialError   a service refuses a credential      note it, name it
├── UsageError       the caller's words are off               say what is expected
├── TransientError   a dependency failed, may recover         retry within the budget, then fall
back
│   ├── OvertakenError    somebody else was faster            read again, repeat
│   ├── OccupiedError     another process is at it            wait until it has ended, repeat
│   ├── BusyError         it asks to be left alone for long   wait, and count no attempt
│   ├── StarvedError     the machine missed the deadline      begin it again, with more time
│   └── ModelUnavailableError  no language model answers      answer without one
│       └── BudgetSpentError   a run may call it no more      answer from what there is
├── ContractError    a model, service or file broke its word  do not repeat; record, fall back
│   └── DocumentError     one file cannot be ingested         name it, go on with the others
└── IntegrityError   stored text, hash or ledger disagree     stop the run, outcome `failed`, alarm
"""

import traceback
from pathlib import Path
from typing import cast


class CiteboundError(Exception):
    """Something went wrong in Citebound."""

    def __init__(self, message: str | None = None) -> None:
        """Use the class docstring's first line as the default message."""
        super().__init__(message or (type(self).__doc__ or "").strip().splitlines()[0])


class ConfigError(CiteboundError):
    """A setting is missing or contradictory."""


class EmptyCorpusError(ConfigError):
    """Nothing has been ingested yet: run `citebound ingest PATH`."""


class PrivilegedLoginError(ConfigError):
    """The login of the database may do more than its process needs."""


class CredentialError(ConfigError):
    """A service refuses a credential of ours."""

    def __init__(self, message: str, *, cause: str) -> None:
        """Take the service's word for why, without a secret."""
        super().__init__(message)
        self.cause = cause


class UsageError(CiteboundError):
    """The request's words are off."""


class TransientError(CiteboundError):
    """A dependency failed and may recover."""


class OvertakenError(TransientError):
    """Another writer was faster: read again and repeat."""


class OccupiedError(TransientError):
    """Another process does what only one may do at a time."""


class BusyError(TransientError):
    """A dependency asks to be left alone for a while."""

    def __init__(self, message: str | None = None, *, after_s: float) -> None:
        """Take the seconds after which it may be asked again."""
        super().__init__(message)
        self.after_s = after_s


class StarvedError(TransientError):
    """The machine had too much to do to answer within the deadline."""


class ModelUnavailableError(TransientError):
    """The language model is down, too slow, or may not be called any more."""


class BudgetSpentError(ModelUnavailableError):
    """The run has used up what it may spend on language models."""


class DayBudgetSpentError(ModelUnavailableError):
    """Language models have cost as much today as they may; or nobody can tell."""


class ContractError(CiteboundError):
    """A model, a service or a file broke its word."""


class DocumentError(ContractError):
    """This file cannot be ingested. The message is one line: the cause and the cure."""


class IntegrityError(CiteboundError):
    """Stored text, hash or ledger disagree."""


def first_transient(error: BaseException) -> TransientError | None:
    """Return the error if repeating may help, or the first such one of a group; else None."""
    if isinstance(error, TransientError):
        return error
    return next(filter(None, map(first_transient, _members(error))), None)


def raised_at(error: BaseException) -> str:
    """Return file and line of what raised an error, of a group its first: for a log, no text."""
    while (members := _members(error)) and members[0].__traceback__ is not None:
        error = members[0]
    frames = traceback.extract_tb(error.__traceback__)
    return f"{Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else "nowhere"


def _members(error: BaseException) -> tuple[BaseException, ...]:
    if isinstance(error, BaseExceptionGroup):
        return cast("BaseExceptionGroup[BaseException]", error).exceptions
    return ()
