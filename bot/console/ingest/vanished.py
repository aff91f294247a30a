"""Policies whose file is gone from a folder: found, shown, withdrawn if that was asked for.

A file that is there is never taken for gone, whether it is read, fails, or is ignored; nor is what
lies in a folder that can't be read.
"""

import asyncio
import os
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from rich.text import Text

from bot.console.views.terminal import Row, Terminal, one_line
from core.adapters.postgres.corpus.withdrawals import PolicyFile, PostgresWithdrawals
from core.domain.errors import OvertakenError, UsageError
from core.ingest.folder_listing import FileListing, absolute
from core.ports.corpus import IngestRunId


@dataclass(frozen=True, slots=True, kw_only=True)
class Vanished:
    """A policy whose file is gone."""

    file: PolicyFile
    """The policy, and its file."""
    withdrawn_in: int | None = None
    """The edition that withdrew it; None: it is still in force."""


async def find_vanished(
    store: PostgresWithdrawals, listing: FileListing, keys: Sequence[str | None]
) -> list[PolicyFile]:
    """Return the policies whose files were in the listed folders, and are not any more.

    Args:
        store: knows which file each policy was read from.
        listing: what was ingested.
        keys: the policies that its sources are, in their order; None for one that failed.
    """
    known = {one.key: one for folder in listing.folders for one in await store.files_below(folder)}
    ingested = {
        source.file.path: key
        for source, key in zip(listing.sources, keys, strict=True)
        if key is not None
    }
    return await asyncio.to_thread(_gone, list(known.values()), ingested, listing)


def _gone(
    known: Sequence[PolicyFile], ingested: dict[str, str], listing: FileListing
) -> list[PolicyFile]:
    keys = set(ingested.values())
    unread = tuple(f"{absolute(each.path)}{os.sep}" for each in listing.skipped)
    return [
        one
        for one in known
        if one.key not in keys
        and not one.path.startswith(unread)
        and (one.path in ingested or not os.path.lexists(one.path))
    ]


def vanished_row(one: PolicyFile, *, is_asked: bool = False) -> Row:
    """Return a policy whose file is gone, with the command that withdraws it.

    Args:
        one: the policy.
        is_asked: True: whether to withdraw it is asked next.
    """
    key = one_line(one.key)
    lines = [
        Text(f"{key}: {one_line(one.title)}: no file is this policy any more"),
        Text(f"it was read from {one_line(one.path)}", style="dim"),
    ]
    if not is_asked:
        lines.append(
            Text(
                f'it is not withdrawn: `citebound corpus withdraw {key} --reason "..."` does that,'
                " or `ingest --sync` for all that are gone",
                style="dim",
            )
        )
    return Row(heads=(Text(f"{'gone':<9}", style="yellow"),), lines=tuple(lines))


async def withdraw_vanished(
    store: PostgresWithdrawals, files: Sequence[PolicyFile], *, since: date, run: IngestRunId
) -> list[Vanished]:
    """Withdraw each; one that was ingested or withdrawn meanwhile stays as it is."""
    done: list[Vanished] = []
    for one in files:
        try:
            withdrawn = await store.withdraw(
                one.key,
                since=since,
                reason=f"its file is gone: {one.path}",
                seen=one.version_id,
                is_file_gone=True,
                run=run,
            )
            done.append(Vanished(file=one, withdrawn_in=withdrawn.withdrawal.edition))
        except (OvertakenError, UsageError):
            done.append(Vanished(file=one))
    return done


def withdrawn_row(one: Vanished) -> Row:
    """Return what became of a policy whose file is gone."""
    name = f"{one_line(one.file.key)}: {one_line(one.file.title)}"
    if one.withdrawn_in is None:
        line = Text(f"{name}: it was changed meanwhile, and is not withdrawn")
        return Row(heads=(Text(f"{'gone':<9}", style="yellow"),), lines=(line,))
    return Row(heads=(Text("withdrawn", style="green"),), lines=(Text(name),))


def confirmed(terminal: Terminal, number: int) -> bool:
    """Ask a person whether so many policies are to be withdrawn; an end of input is a no."""
    what = "this policy" if number == 1 else f"these {number} policies"
    try:
        said = terminal.out.input(Text(f"Withdraw {what} from today on? [y/N] "))
    except EOFError:
        return False
    return said.strip().lower() in {"y", "yes"}
