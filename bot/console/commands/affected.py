"""`citebound audit affected`: past answers that rest on what a policy no longer says."""

import asyncio
import getpass
from collections.abc import Iterator, Sequence

from rich.text import Text

from bot.console.views.terminal import Row, one_line, open_terminal
from core.adapters.officers import read_officers
from core.adapters.postgres.access import open_engine
from core.adapters.postgres.engine.ledger import Ledger
from core.adapters.postgres.engine.roles import DatabaseRole
from core.adapters.postgres.record.recorded_questions import PostgresRecordedQuestions
from core.adapters.postgres.stores import PostgresStores
from core.config.settings import Settings
from core.domain.affected import AffectedAnswer
from core.domain.codec import json_of
from core.domain.delivery import REFERENCE
from core.domain.errors import UsageError
from core.opening import open_stores


def affected(*, edition: int | None, policy: str | None, approve: str | None, as_json: bool) -> int:
    """Compare past answers with the policies that hold now, and list or approve those affected."""
    terminal, settings = open_terminal(), Settings.from_environment()
    if approve is not None:
        count = asyncio.run(_approve(settings, approve, edition=edition, policy=policy))
        if as_json:
            terminal.show_json({"approved": count})
        else:
            terminal.show(
                Text(
                    f"{count} questions will be answered again, and their askers told"
                    " if the answer has changed."
                )
            )
        return 0
    with terminal.busy("Comparing past answers"):
        found = asyncio.run(_affected(settings, edition, policy))
    if as_json:
        terminal.show_json([json_of(one) for one in found])
    elif found:
        terminal.show(*_lines(found))
    else:
        terminal.show(Text("No past answers are affected by changes."))
    return 0


async def _approve(
    settings: Settings, login: str, *, edition: int | None, policy: str | None
) -> int:
    officers = read_officers(settings.officers, settings.case_channel)
    logins = [officer.login for officer in officers.all]
    if login not in logins:
        raise UsageError(
            f"{login!r} is not an officer: CITEBOUND_OFFICERS lists {', '.join(logins) or 'nobody'}"
        )
    async with open_stores(PostgresStores, settings) as stores:
        await stores.affected.compare(on_day=stores.clock.today())
        return await stores.affected_editions.approve(officer=login, edition=edition, policy=policy)


async def _affected(
    settings: Settings, edition: int | None, policy: str | None
) -> Sequence[AffectedAnswer]:
    async with open_stores(PostgresStores, settings) as stores:
        await stores.affected.compare(on_day=stores.clock.today())
        ledger = Ledger(clock=stores.clock, ids=stores.ids, unit=settings.unit)
    officer = getpass.getuser()
    role = DatabaseRole.CONSOLE
    async with open_engine(settings, role, officer=officer, ledger=ledger) as engine:
        recorded = PostgresRecordedQuestions(engine, ledger=ledger, officer=officer)
        return await recorded.affected(edition=edition, policy=policy)


def _lines(found: Sequence[AffectedAnswer]) -> Iterator[Row | Text]:
    answers = {one.record_id for one in found}
    broken = {one.record_id for one in found if not one.still_holds}
    yield Text(
        f"{len(answers)} answers are affected by changes; {len(broken)} of them quote text that"
        " no longer exists.",
        style="bold",
    )
    for one in found:
        where = f"{one.policy} {one.section or ''}".strip()
        versions = f"{one.old_version} → {one.new_version or 'none'}"
        state = Text(f"edition {one.edition}, {where}, {versions}: {one.change.value}")
        became = [Text(f"“{said}”", style="dim") for said in (one.before, one.after) if said]
        if one.decided_at is not None:
            state.append(", confirmed" if one.still_holds else ", superseded", style="green")
        question = "(erased)" if one.question is None else one_line(one.question)
        yield Row(heads=(Text(one.record_id[-REFERENCE:]),), lines=(Text(question), state, *became))
