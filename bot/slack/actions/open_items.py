"""What a person waits for, and what waits for that person: for Home and `/policy mine`."""

from dataclasses import dataclass

from bot.replies.answer import question_of
from bot.replies.safe_text import is_permalink
from bot.slack.blocks.home_view import LISTED, OpenQuestion
from bot.slack.web.calls import Slack
from bot.slack.web.permalinks import Spot, links_to
from core.cases.service import CaseService
from core.domain.case import Case, CaseState
from core.domain.case_rules import Account
from core.domain.place import Place
from core.ports.posted_answers import PostedAnswers

_STATES = {
    CaseState.OPEN: "waiting for Compliance",
    CaseState.CLAIMED: "taken up by {officer}",
    CaseState.ANSWERED: "answered by {officer}",
    CaseState.CLOSED: "closed",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Open:
    """What of one person's is not settled, the newest first."""

    for_asker: tuple[OpenQuestion, ...]
    """Questions back that they have not answered."""
    for_compliance: tuple[OpenQuestion, ...]
    """Cases that are not closed."""


class Waiting:
    """Lists what is open, with links."""

    def __init__(self, slack: Slack, desk: CaseService, shown: PostedAnswers) -> None:
        self._slack = slack
        self._desk = desk
        self._shown = shown

    async def of(self, who: Account) -> Open:
        """Return what of a person's is open."""
        asked, cases = await self._shown.asked_back(who), await self._desk.mine(who)
        spots = [_spot(one.place, one.message_id) for one in asked[:LISTED]]
        spots += [None if one.permalink else _spot(one.place) for one in cases[:LISTED]]
        links = iter(await links_to(self._slack, spots))
        backs = [
            OpenQuestion(
                title=one.question,
                state=f"asked back: {question_of(one.asked)}",
                permalink=next(links, None) if number < LISTED else None,
            )
            for number, one in enumerate(asked)
        ]
        waits = [
            _case(one, next(links, None) if number < LISTED else None)
            for number, one in enumerate(cases)
        ]
        return Open(for_asker=tuple(backs), for_compliance=tuple(waits))


def _spot(place: Place | None, message_id: str | None = None) -> Spot | None:
    return None if place is None else Spot(channel=place.channel, ts=message_id or place.thread)


def _case(case: Case, found: str | None) -> OpenQuestion:
    officer = case.officer or "Compliance"
    state = f"{_STATES[case.state].format(officer=officer)} (case {case.number})"
    told = case.permalink if case.permalink and is_permalink(case.permalink) else found
    return OpenQuestion(title=case.question, state=state, permalink=told)
