"""`citebound corpus withdraw`: a policy out of force."""

import asyncio
from contextlib import AsyncExitStack
from datetime import date

from rich.text import Text

from bot.console.stores import operator
from bot.console.views.terminal import Terminal, one_line, open_terminal
from core.adapters.postgres.corpus.withdrawals import Withdrawn
from core.adapters.postgres.stores import PostgresStores
from core.domain.codec import json_of
from core.opening import open_stores


def withdraw(*, key: str, since: date | None, reason: str, as_json: bool) -> int:
    """Withdraw one policy; `since` is today if it is None."""
    terminal = open_terminal()
    done = asyncio.run(_withdraw(terminal, key, since=since, reason=reason))
    if as_json:
        terminal.show_json(_as_json(done))
    else:
        terminal.show(*_withdrawn_lines(done))
    return 0


async def _withdraw(terminal: Terminal, key: str, *, since: date | None, reason: str) -> Withdrawn:
    async with AsyncExitStack() as stack:
        with terminal.busy("Opening the database"):
            stores = await stack.enter_async_context(
                open_stores(PostgresStores, operator=operator())
            )
        today = stores.clock.today()
        return await stores.withdrawals.withdraw(key, since=since or today, reason=reason)


def _withdrawn_lines(done: Withdrawn) -> list[Text]:
    withdrawal = done.withdrawal
    lines = [
        Text(
            f"{one_line(done.key)}: {one_line(done.title)}: withdrawn from {withdrawal.since} on,"
            f" in edition {withdrawal.edition}"
        ),
        Text(
            f"answers about an earlier day, or with --as-of edition:{withdrawal.edition - 1}, still"
            " rest on it",
            style="dim",
        ),
    ]
    if done.path:
        lines.append(
            Text(
                f"a new version, or naming its file, brings it back: {one_line(done.path)}",
                style="dim",
            )
        )
    lines.append(Text(f"record {done.record_id}", style="dim"))
    return lines


def _as_json(done: Withdrawn) -> dict[str, object]:
    return json_of(
        done,
        "policy=key title withdrawal.since withdrawal.reason withdrawal.edition file=path"
        " record_id",
    )
