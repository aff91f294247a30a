"""Precedents in the console: proposed from a case, decided by another officer, withdrawn by any."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import KW_ONLY, dataclass
from datetime import date, timedelta

from aiohttp import web

from bot.officer.gate import HOME, Gate, NoPageError, Visit
from bot.officer.rendering import Pages
from core.cases.clauses import clause_name
from core.cases.service import CaseService
from core.domain.case import Case
from core.domain.case_actions import CaseRefused
from core.domain.errors import UsageError
from core.domain.policy import EVERYONE
from core.ports import Clock
from core.ports.precedents import (
    DEFAULT_DAYS,
    MOST_DAYS,
    WORDING_LIMIT,
    ClauseName,
    Precedent,
    PrecedentState,
    Proposal,
)

PRECEDENTS = f"{HOME}/precedents"
_FIELDS = ("question", "wordings", "clauses", "groups", "countries", "until")
_LONGEST = 20_000
Deed = Callable[[Visit, int, str], Awaitable[Precedent]]


@dataclass(frozen=True, slots=True)
class PrecedentPages:
    """The pages about precedents."""

    gate: Gate
    pages: Pages
    cases: CaseService
    _: KW_ONLY
    clock: Clock

    def routes(self) -> tuple[web.RouteDef, ...]:
        """Return what is served here."""
        page, one = self.gate.page, f"{PRECEDENTS}/{{number}}"
        of_case = f"{HOME}/cases/{{id}}/precedent"
        return (
            web.get(PRECEDENTS, page(self.list)),
            web.get(one, page(self.show)),
            web.get(of_case, page(self.form)),
            web.post(of_case, page(self.propose)),
            web.post(f"{one}/approve", page(self._doing(self._approve))),
            web.post(f"{one}/refuse", page(self._doing(self._refuse))),
            web.post(f"{one}/withdraw", page(self._doing(self._withdraw))),
        )

    async def list(self, visit: Visit) -> web.StreamResponse:
        """List all, newest first."""
        found = await visit.desk.precedents.all()
        return self.pages.response("precedents.html", visit=visit, precedents=found)

    async def show(self, visit: Visit) -> web.StreamResponse:
        """Show one precedent."""
        return self._shown(visit, await self._found(visit))

    async def form(self, visit: Visit) -> web.StreamResponse:
        """Show what is to be filled in, with what the case and its answer suggest."""
        case = await self._case(visit)
        until = self.clock.today() + timedelta(days=DEFAULT_DAYS)
        suggested = {
            "question": case.question,
            "clauses": "\n".join(_suggested(case)),
            "until": until.isoformat(),
        }
        return self._form(visit, case, suggested)

    async def propose(self, visit: Visit) -> web.StreamResponse:
        """Propose the answer of a case."""
        case, sent = await self._case(visit), await visit.form()
        given = {name: str(sent.get(name, ""))[:_LONGEST] for name in _FIELDS}
        try:
            proposed = await visit.desk.precedents.propose(_proposal(visit, case, given))
        except UsageError as error:
            return self._form(visit, case, given, error=str(error))
        return _led_to(proposed.number)

    def _doing(self, deed: Deed) -> Callable[[Visit], Awaitable[web.StreamResponse]]:
        async def done(visit: Visit) -> web.StreamResponse:
            number = _number(visit)
            reason = " ".join(str((await visit.form()).get("reason", "")).split())[:500]
            try:
                await deed(visit, number, reason)
            except UsageError as error:
                return self._shown(visit, await self._found(visit), error=str(error))
            return _led_to(number)

        return done

    async def _approve(self, visit: Visit, number: int, _: str) -> Precedent:
        return await visit.desk.precedents.approve(number, visit.officer)

    async def _refuse(self, visit: Visit, number: int, reason: str) -> Precedent:
        return await visit.desk.precedents.refuse(number, visit.officer, reason=reason)

    async def _withdraw(self, visit: Visit, number: int, reason: str) -> Precedent:
        return await visit.desk.precedents.withdraw(number, visit.officer, reason=reason)

    async def _found(self, visit: Visit) -> Precedent:
        try:
            return await visit.desk.precedents.show(_number(visit))
        except UsageError as error:
            raise NoPageError from error

    async def _case(self, visit: Visit) -> Case:
        found = await self.cases.show(visit.part("id"), visit.officer.at_console)
        if isinstance(found, CaseRefused) or found.is_sensitive or not found.told:
            raise NoPageError
        return found

    def _form(
        self, visit: Visit, case: Case, given: Mapping[str, str], *, error: str = ""
    ) -> web.Response:
        return self.pages.response(
            "propose.html",
            status=409 if error else 200,
            visit=visit,
            case=case,
            given={name: given.get(name, "") for name in _FIELDS},
            error=error,
            limit=WORDING_LIMIT,
            days=MOST_DAYS,
        )

    def _shown(self, visit: Visit, one: Precedent, *, error: str = "") -> web.Response:
        is_own = visit.officer.login in {one.answered_by, one.proposed_by}
        is_open = one.state is PrecedentState.PROPOSED
        return self.pages.response(
            "precedent.html",
            status=409 if error else 200,
            visit=visit,
            one=one,
            error=error,
            may_decide=is_open and not is_own,
            waits_for_another=is_open and is_own,
            may_withdraw=is_open or one.state is PrecedentState.APPROVED,
        )


def _suggested(case: Case) -> list[str]:
    """Return the clauses that the earlier answer quoted, as an officer would name them."""
    cited = case.answer.citations if case.answer else ()
    named = (
        ClauseName(
            policy=one.place.policy_key,
            section=one.place.number or one.place.title,
            words=" ".join(one.quote.split()),
        )
        for one in cited
    )
    return list(dict.fromkeys(one.written for one in named))


def _proposal(visit: Visit, case: Case, given: Mapping[str, str]) -> Proposal:
    """Read the form.

    Raises:
        UsageError: A field of it can't be understood.
    """
    try:
        until = date.fromisoformat(given["until"]) if given["until"] else None
    except ValueError as error:
        raise UsageError("expected a day as in 2026-01-31") from error
    groups, countries = (
        frozenset(part.strip() for part in given[name].split(",") if part.strip())
        for name in ("groups", "countries")
    )
    return Proposal(
        case_number=case.number,
        by=visit.officer,
        clauses=tuple(clause_name(line) for line in given["clauses"].splitlines() if line.strip()),
        question=given["question"],
        wordings=tuple(given["wordings"].splitlines()),
        groups=groups - {EVERYONE} or groups,
        jurisdictions=_countries(countries),
        expires_on=until,
    )


def _countries(typed: frozenset[str]) -> frozenset[str] | None:
    """Return the countries of a form: `all` is anywhere, nothing what the case suggests."""
    codes = frozenset(one.upper() for one in typed)
    if codes == frozenset({"ALL"}):
        return frozenset()
    wrong = [one for one in codes if len(one) != len("DE") or not one.isalpha()]
    if wrong:
        raise UsageError(f"expected ISO 3166 codes like DE, or all, got {min(wrong)!r}")
    return codes or None


def _number(visit: Visit) -> int:
    written = visit.part("number")
    if not (written.isascii() and written.isdigit()) or len(written) > len("999999999"):
        raise NoPageError
    return int(written)


def _led_to(number: int) -> web.Response:
    """Lead the browser to a precedent, so that to reload it does nothing again."""
    return web.Response(status=303, headers={"Location": f"{PRECEDENTS}/{number}"})
