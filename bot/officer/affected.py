"""Past answers that an edition affects: looked at, and approved to be given again."""

import secrets
from collections.abc import Mapping
from uuid import UUID

from aiohttp import web

from bot.actions.affected import AffectedActions
from bot.actions.press import Press, Say
from bot.officer.filters import filters
from bot.officer.gate import HOME, Gate, NoPageError, Visit
from bot.officer.rendering import Pages
from core.adapters.postgres.console.affected import (
    affects_answers,
    read_changes,
    read_editions,
)
from core.domain.officers import Officers

AFFECTED = f"{HOME}/affected"
PAGE = 25
CLAUSES = 50
"""Changed clauses that a page shows at most."""
STATES: Mapping[str, str] = {
    "found": "To be decided",
    "approved": "Approved, under way",
    "superseded": "Told",
    "confirmed": "The same today",
    "dropped": "Can\u2019t be told",
    "failed": "Failed",
}
"""What became of an answer, and how that is called."""
_VIEW = "v_answers_affected_by_change"
_LONGEST = 9


class AffectedPages:
    """The pages about affected answers."""

    def __init__(self, gate: Gate, pages: Pages, officers: Officers) -> None:
        self._gate = gate
        self._pages = pages
        self._officers = officers

    def routes(self) -> tuple[web.RouteDef, ...]:
        """Return what is served here."""
        page, one = self._gate.page, f"{AFFECTED}/{{edition}}"
        return (
            web.get(AFFECTED, page(self.list)),
            web.get(one, page(self.show)),
            web.post(f"{one}/approve", page(self.approve)),
        )

    async def list(self, visit: Visit) -> web.StreamResponse:
        """List the editions that affect past answers."""
        asked = filters(visit.request.query, ("policy",))
        async with visit.record.reading(visit.reading(_VIEW)) as connection:
            found = await read_editions(connection, policy=asked.given["policy"])
        by_state = await visit.desk.editions.by_state([one.edition for one in found])
        return self._pages.response(
            "affected.html",
            visit=visit,
            editions=[(one, by_state.get(one.edition, {})) for one in found],
            policy=asked.given["policy"],
        )

    async def show(self, visit: Visit) -> web.StreamResponse:
        """Show one edition: what changed, and the answers that rest on it."""
        return await self._shown(visit)

    async def approve(self, visit: Visit) -> web.StreamResponse:
        """Let the askers of all answers that were shown be told."""
        form, who = await visit.form(), visit.officer.at_console
        press = Press(
            who=who,
            listed=who,
            is_outside=False,
            key=f"console:{visit.officer.login}:{secrets.token_urlsafe(16)}",
            target=str(_edition(visit)),
            choice=str(form.get("seen", "")),
        )
        outcome = await AffectedActions(visit.desk.editions, self._officers).approve(press)
        if isinstance(outcome, Say):
            return await self._shown(visit, error=outcome.words.en)
        return web.Response(status=303, headers={"Location": f"{AFFECTED}/{_edition(visit)}"})

    async def _shown(self, visit: Visit, *, error: str = "") -> web.StreamResponse:
        edition = _edition(visit)
        asked = filters(visit.request.query, ("policy", "state"))
        state = asked.given["state"] if asked.given["state"] in STATES else ""
        listed = await visit.desk.editions.listed(
            edition,
            state=state,
            policy=asked.given["policy"],
            before=_uuid(visit.query("before")),
            most=PAGE + 1,
        )
        async with visit.record.reading(visit.reading(_VIEW)) as connection:
            if not await affects_answers(connection, edition):
                raise NoPageError
            changes = await read_changes(connection, [one.found_record for one in listed[:PAGE]])
        found = await visit.desk.editions.find(edition, clauses=CLAUSES)
        if found is None:
            raise NoPageError
        answers = [
            (one, changes[one.found_record]) for one in listed[:PAGE] if one.found_record in changes
        ]
        return self._pages.response(
            "affected_edition.html",
            status=409 if error else 200,
            visit=visit,
            edition=found,
            answers=answers,
            states=STATES,
            state=state,
            policy=asked.given["policy"],
            older=asked.address(f"{AFFECTED}/{edition}", before=listed[PAGE - 1].answer_id)
            if len(listed) > PAGE
            else "",
            error=error,
        )


def _edition(visit: Visit) -> int:
    written = visit.part("edition")
    if not (written.isascii() and written.isdecimal() and len(written) <= _LONGEST):
        raise NoPageError
    return int(written)


def _uuid(written: str) -> UUID | None:
    try:
        return UUID(written)
    except ValueError:
        return None
