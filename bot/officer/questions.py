"""Test questions: drafted from the policies, and accepted, mended or dropped by officers."""

from collections.abc import Sequence
from dataclasses import dataclass

from aiohttp import web

from bot.officer.gate import HOME, GatedPages, NoPageError, Visit
from bot.replies.safe_text import clean
from core.adapters.postgres.record.question_drafts import (
    DraftDecision,
    PassageContext,
)
from core.domain.errors import UsageError
from core.domain.question_draft import (
    ANSWERED,
    DIFFICULTIES,
    QUESTION_LIMIT,
    REFUSED,
    REMOVED,
    AnswerPassage,
    DraftState,
    KeptDraft,
)

QUESTIONS = f"{HOME}/questions"
LISTED = 200
"""Questions on one page: the others come up as these are decided on."""
_DEEDS = {
    "accept": DraftState.ACCEPTED,
    "drop": DraftState.DROPPED,
    "save": DraftState.DRAFT,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class PassageInContext:
    """A passage as a page shows it."""

    passage: AnswerPassage
    around: PassageContext


class QuestionPages(GatedPages):
    """The pages about test questions."""

    def routes(self) -> tuple[web.RouteDef, ...]:
        """Return what is served here."""
        page, one = self._gate.page, f"{QUESTIONS}/{{number}}"
        return (
            web.get(QUESTIONS, page(self.list)),
            web.get(one, page(self.show)),
            web.post(one, page(self.decide)),
        )

    async def list(self, visit: Visit) -> web.StreamResponse:
        """List the questions in a state; those that wait, if none is named."""
        named = visit.query("state") or DraftState.DRAFT.value
        if named not in set(DraftState):
            raise NoPageError
        state = DraftState(named)
        found, counts = await visit.desk.drafts.listed(state), await visit.desk.drafts.counts()
        return self._pages.response(
            "questions.html",
            visit=visit,
            state=state.value,
            states=[(state.value, count) for state, count in counts.items()],
            questions=found[:LISTED],
            more=max(0, len(found) - LISTED),
            stale=sum(one.is_stale for one in found),
        )

    async def show(self, visit: Visit) -> web.StreamResponse:
        """Show one question with its passages in context."""
        return await self._shown(visit, await self._found(visit))

    async def decide(self, visit: Visit) -> web.StreamResponse:
        """Accept, mend or drop a question, and lead to the next one that waits."""
        number, form = _number(visit), await visit.form()
        given = {
            name: str(form.get(name, "")) for name in ("deed", "question", "difficulty", "expected")
        }
        question = " ".join(clean(given["question"]).split())
        is_asked = 0 < len(question) <= QUESTION_LIMIT
        is_known = given["difficulty"] in DIFFICULTIES and given["expected"] in {ANSWERED, REFUSED}
        if given["deed"] not in _DEEDS or not is_known or not is_asked:
            raise web.HTTPBadRequest
        decision = DraftDecision(
            state=_DEEDS[given["deed"]],
            question=question,
            difficulty=given["difficulty"],
            expected=given["expected"],
            revision=_revision(str(form.get("revision", ""))),
        )
        try:
            await visit.desk.drafts.decide(number, decision, officer=visit.officer)
        except UsageError as error:
            return await self._shown(visit, await self._found(visit), error=str(error))
        waits = decision.state is DraftState.DRAFT
        to = number if waits else await visit.desk.drafts.next_after(number)
        place = QUESTIONS if to is None else f"{QUESTIONS}/{to}"
        return web.Response(status=303, headers={"Location": place})

    async def _found(self, visit: Visit) -> KeptDraft:
        found = await visit.desk.drafts.find(_number(visit))
        if found is None:
            raise NoPageError
        return found

    async def _shown(self, visit: Visit, one: KeptDraft, *, error: str = "") -> web.Response:
        shown: Sequence[PassageInContext] = [
            PassageInContext(passage=passage, around=await visit.desk.drafts.context(passage))
            for passage in one.draft.passages
        ]
        return self._pages.response(
            "question.html",
            status=409 if error else 200,
            visit=visit,
            one=one,
            passages=shown,
            is_removed=one.draft.kind == REMOVED,
            waiting=(await visit.desk.drafts.counts())[DraftState.DRAFT],
            difficulties=DIFFICULTIES,
            limit=QUESTION_LIMIT,
            error=error,
        )


def _number(visit: Visit) -> int:
    written = visit.part("number")
    if not (written.isascii() and written.isdigit()) or len(written) > len("999999999"):
        raise NoPageError
    return int(written)


def _revision(written: str) -> int:
    if not (written.isascii() and written.isdigit()) or len(written) > len("999999999"):
        raise web.HTTPBadRequest
    return int(written)
