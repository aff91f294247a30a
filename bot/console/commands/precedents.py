"""`citebound precedent`: officers propose answers to be told to others, and decide on them."""

import asyncio
import os
import pwd
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from datetime import date

from rich.text import Text

from bot.console.views.terminal import Row, Terminal, local, one_line, open_terminal, safe
from core.adapters.officers import read_officers
from core.adapters.postgres.access import open_engine
from core.adapters.postgres.stores import PostgresStores
from core.adapters.system import SystemClock, UuidSource
from core.cases.clauses import clause_name
from core.cases.precedents import PrecedentService
from core.config.settings import Settings
from core.domain.codec import json_of
from core.domain.errors import UsageError
from core.domain.officers import Officer, Officers
from core.ports.precedents import Precedent, Proposal

Deed = Callable[[PrecedentService, Officer], Awaitable[Precedent]]


def propose(
    *,
    case: int,
    clauses: list[str],
    question: str,
    wordings: list[str],
    groups: frozenset[str],
    countries: list[str] | None,
    everywhere: bool,
    until: date | None,
    as_json: bool,
) -> int:
    """Propose the officer's answer of a case; 0."""
    if everywhere and countries:
        raise UsageError("expected --country or --everywhere, got both")
    given = frozenset(countries) if countries is not None else None
    named = tuple(map(clause_name, clauses))

    async def deed(desk: PrecedentService, by: Officer) -> Precedent:
        return await desk.propose(
            Proposal(
                case_number=case,
                by=by,
                clauses=named,
                question=question,
                wordings=tuple(wordings),
                groups=groups,
                jurisdictions=frozenset() if everywhere else given,
                expires_on=until,
            )
        )

    terminal = open_terminal()
    proposed = asyncio.run(_do(deed))
    _show(terminal, proposed, as_json=as_json)
    if not as_json:
        terminal.show(
            Text(
                f"Proposed. Another officer decides: `citebound precedent approve"
                f" {proposed.number}`, or in the console."
            )
        )
    return 0


def approve(*, number: int) -> int:
    """Let a precedent be told; 0."""
    done = asyncio.run(_do(lambda desk, by: desk.approve(number, by)))
    open_terminal().show(Text(f"Precedent {number} is in use until {done.expires_on}."))
    return 0


def refuse(*, number: int, reason: str) -> int:
    """Decide against a precedent; 0."""
    asyncio.run(_do(lambda desk, by: desk.refuse(number, by, reason=reason)))
    open_terminal().show(Text(f"Precedent {number} is refused."))
    return 0


def withdraw(*, number: int, reason: str) -> int:
    """Let a precedent be told no more; 0."""
    asyncio.run(_do(lambda desk, by: desk.withdraw(number, by, reason=reason)))
    open_terminal().show(Text(f"Precedent {number} is withdrawn."))
    return 0


def list_precedents(*, as_json: bool) -> int:
    """List all precedents; 0."""
    terminal = open_terminal()
    found = asyncio.run(_listed())
    if as_json:
        terminal.show_json(list(map(_json, found)))
    elif found:
        terminal.show(*map(_row, found))
    else:
        terminal.show(Text("There are no precedents yet."))
    return 0


def show(*, number: int, as_json: bool) -> int:
    """Show one precedent; 0."""
    _show(open_terminal(), asyncio.run(_found(number)), as_json=as_json)
    return 0


@asynccontextmanager
async def _opened() -> AsyncGenerator[tuple[PrecedentService, Officers]]:
    """Lend the desk, once what no longer stands was suspended."""
    settings = Settings.from_environment()
    officers = read_officers(settings.officers, settings.case_channel)
    async with open_engine(settings) as engine:
        stores = PostgresStores(
            engine, settings, officers=officers, clock=SystemClock(settings.zones), ids=UuidSource()
        )
        await stores.suspensions.compare(on_day=stores.clock.today())
        yield PrecedentService(stores.precedents, clock=stores.clock, ids=stores.ids), officers


async def _do(deed: Deed) -> Precedent:
    async with _opened() as (desk, officers):
        return await deed(desk, _signed_in(officers))


async def _listed() -> tuple[Precedent, ...]:
    async with _opened() as (desk, _):
        return await desk.all()


async def _found(number: int) -> Precedent:
    async with _opened() as (desk, _):
        return await desk.show(number)


def _signed_in(officers: Officers) -> Officer:
    """Return the officer who is signed in on this machine, whatever the environment says."""
    try:
        login = pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        login = str(os.getuid())
    found = next((one for one in officers.all if one.login == login), None)
    if found is None:
        listed = ", ".join(one.login for one in officers.all) or "nobody"
        raise UsageError(
            f"you are logged in as {login!r}, who is not an officer: CITEBOUND_OFFICERS lists"
            f" {listed}. Officers can also do this in the console"
        )
    return found


def _show(terminal: Terminal, one: Precedent, *, as_json: bool) -> None:
    if as_json:
        terminal.show_json(_json(one))
    else:
        terminal.show(*_lines(local(one)))


def _lines(one: Precedent) -> Iterator[Text]:
    yield Text(f"Precedent {one.number}, {one.state.value}", style="bold")
    yield safe(f"question  {one.question or '(erased)'}")
    yield from (safe(f"also      {wording}") for wording in one.wordings)
    answer = (one.answer or "(erased)").replace("\n", f"\n{' ' * 10}")
    yield safe(f"answer    {answer}")
    for clause in one.clauses:
        place = f"{clause.policy}, version {clause.version}: {clause.section}"
        yield safe(f"rests on  {place}, “{clause.quote}”")
    countries = ", ".join(sorted(one.scope.jurisdictions)) or "all countries"
    yield safe(f"for       {', '.join(sorted(one.scope.groups))}; {countries}")
    yield Text(f"until     {one.expires_on}")
    decided = f"; decided by {one.decided_by}" if one.decided_by else ""
    yield safe(
        f"case {one.case_number} answered by {one.answered_by}; proposed by {one.proposed_by}"
        f" on {one.proposed_at:%Y-%m-%d}{decided}"
    )
    if one.reason:
        yield safe(f"because   {one.reason}")
    yield Text(f"record {one.record_id}", style="dim")


def _row(one: Precedent) -> Row:
    rests = ", ".join(f"{clause.policy} {clause.section}" for clause in one.clauses)
    return Row(
        heads=(Text(str(one.number), style="bold"), Text(one.state.value)),
        lines=(
            Text(one_line(one.question or "(erased)")),
            Text(one_line(f"{rests}; until {one.expires_on}"), style="dim"),
        ),
    )


def _json(one: Precedent) -> dict[str, object]:
    return json_of(
        one,
        "number precedent_id state case=case_number question wordings answer clauses"
        " scope.groups scope.jurisdictions expires_on answered_by proposed_by decided_by"
        " approved_at reason record_id",
        question=one.question or None,
        answer=one.answer or None,
        clauses=[json_of(clause, "policy version section quote") for clause in one.clauses],
        reason=one.reason or None,
    )
