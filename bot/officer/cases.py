"""Cases in the console: the same deeds, by the same rules and with the same records, as in chat."""

import re
import secrets
from collections.abc import Awaitable, Callable

from aiohttp import web

from bot.actions.cases import OfficerActions
from bot.actions.press import FieldError, Outcome, Press, Say
from bot.forms.effects import effects_of
from bot.forms.forms import ANSWER, EFFECT, Entered
from bot.officer.filters import filters
from bot.officer.gate import HOME, Gate, NoPageError, Visit
from bot.officer.overview import is_overdue
from bot.officer.rendering import Pages
from bot.replies.buttons import case_buttons
from core.cases.service import CaseService
from core.domain.case import Case
from core.domain.case_actions import REPLY_LIMIT, CaseRefused
from core.domain.officers import Officers
from core.ports import Clock
from core.ports.cases import SettledFilter

CASES = f"{HOME}/cases"
SETTLED = f"{HOME}/closed-cases"
PAGE = 25
READ = "cases"
"""What the record says that its pages read."""
_NUMBER = re.compile("[0-9]{1,9}")
_KEY = re.compile("[A-Za-z0-9_-]{22}")
Deed = Callable[[Press], Awaitable[Outcome]]


class CasePages:
    """The pages about cases."""

    def __init__(
        self, gate: Gate, pages: Pages, cases: CaseService, officers: Officers, *, clock: Clock
    ) -> None:
        self._gate = gate
        self._pages = pages
        self._cases = cases
        self._officers = officers
        self._actions = OfficerActions(cases)
        self._clock = clock

    def routes(self) -> tuple[web.RouteDef, ...]:
        """Return what is served here."""
        page, one = self._gate.page, f"{CASES}/{{id}}"
        actions = self._actions
        return (
            web.get(CASES, page(self.queue)),
            web.get(SETTLED, page(self.settled)),
            web.get(one, page(self.show)),
            web.post(f"{one}/claim", page(self._doing(actions.claim))),
            web.post(f"{one}/acknowledge", page(self._doing(actions.acknowledge))),
            web.post(f"{one}/close", page(self._doing(actions.close))),
            web.post(f"{one}/wrong", page(self._doing(actions.mark_wrong))),
            web.post(f"{one}/partly", page(self._doing(actions.mark_partly))),
            web.post(f"{one}/right", page(self._doing(actions.mark_right))),
            web.post(f"{one}/answer", page(self._doing(actions.submit, says_done=True))),
        )

    async def queue(self, visit: Visit) -> web.StreamResponse:
        """List what waits for an officer, what is due first on top."""
        await visit.record.note(visit.reading(READ))
        found = await self._cases.queue(visit.officer.at_console)
        waiting = () if isinstance(found, CaseRefused) else found
        now = self._clock.now()
        ordered = sorted(waiting, key=lambda case: (case.due_at or case.opened_at, case.number))
        return self._pages.response(
            "cases.html",
            visit=visit,
            waiting=[(case, is_overdue(case, now)) for case in ordered],
        )

    async def settled(self, visit: Visit) -> web.StreamResponse:
        """List answered and closed cases, newest first; the address holds what is looked for."""
        await visit.record.note(visit.reading(READ))
        asked = filters(visit.request.query, ("words", "officer", "since", "until"))
        number = visit.query("before")
        wanted = SettledFilter(
            words=asked.given["words"],
            officer=asked.given["officer"],
            since=asked.since,
            until=asked.until,
            before=int(number) if _NUMBER.fullmatch(number) else None,
        )
        found = await self._cases.settled(visit.officer.at_console, wanted, most=PAGE + 1)
        cases = [] if isinstance(found, CaseRefused) else list(found)
        return self._pages.response(
            "settled_cases.html",
            visit=visit,
            cases=cases[:PAGE],
            officers=self._officers.all,
            given=asked.given,
            problems=asked.problems,
            is_filtered=bool(asked.kept),
            older=asked.address(SETTLED, before=cases[PAGE - 1].number)
            if len(cases) > PAGE
            else "",
        )

    async def show(self, visit: Visit) -> web.StreamResponse:
        """Show one case."""
        return self._shown(visit, await self._case(visit))

    def _doing(
        self, deed: Deed, *, says_done: bool = False
    ) -> Callable[[Visit], Awaitable[web.StreamResponse]]:
        """Return what does a deed; `says_done`: it speaks where it is done, else where it is not.

        Afterwards the browser is led to the case, so that to reload it does nothing again.
        """

        async def done(visit: Visit) -> web.StreamResponse:
            form = await visit.form()
            key, text = str(form.get("key", "")), str(form.get(ANSWER, ""))
            if not _KEY.fullmatch(key):
                raise web.HTTPBadRequest
            who = visit.officer.at_console
            press = Press(
                who=who,
                listed=who,
                is_outside=False,
                key=f"console:{visit.officer.login}:{key}",
                target=visit.id,
                entered=Entered(
                    text=text,
                    is_private=bool(form.get("private")),
                    effect=str(form.get(EFFECT, "")),
                ),
            )
            outcome = await deed(press)
            if isinstance(outcome, FieldError):
                return self._shown(
                    visit, await self._case(visit), error=outcome.words.en, text=text
                )
            if isinstance(outcome, Say) and not says_done:
                return self._shown(visit, await self._case(visit), error=outcome.words.en)
            return web.Response(status=303, headers={"Location": f"{CASES}/{visit.id}"})

        return done

    async def _case(self, visit: Visit) -> Case:
        case_id = visit.id
        await visit.record.note(visit.reading(READ))
        found = await self._cases.show(case_id, visit.officer.at_console)
        if isinstance(found, CaseRefused):
            raise NoPageError
        return found

    def _shown(self, visit: Visit, case: Case, *, error: str = "", text: str = "") -> web.Response:
        is_hidden = (
            case.is_sensitive
            and case.officer != visit.officer.name
            and not self._cases.is_on_call(visit.officer.at_console)
        )
        return self._pages.response(
            "case.html",
            status=409 if error else 200,
            visit=visit,
            case=case,
            is_hidden=is_hidden,
            buttons={button.act.value for button in case_buttons(case)},
            effects=effects_of(case),
            is_mine=case.officer == visit.officer.name,
            is_overdue=is_overdue(case, self._clock.now()),
            key=secrets.token_urlsafe(16),
            error=error,
            text=text,
            limit=REPLY_LIMIT,
        )
