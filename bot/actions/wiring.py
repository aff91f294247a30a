"""Everything that people press, wired for one platform or one workspace of it."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeAlias

from bot.actions.affected import AffectedActions
from bot.actions.answers import (
    AnswerActions,
    ClarificationActions,
    FollowUpActions,
    Membership,
    ReplyAccess,
)
from bot.actions.cases import Askers, EscalationActions, OfficerActions
from bot.actions.feedback import FeedbackActions
from bot.actions.press import Outcome, Press
from bot.forms.forms import FormName
from bot.intake import Intake
from bot.replies.buttons import Act
from core.bootstrap import Service
from core.cases.service import CaseService

Action: TypeAlias = Callable[[Press], Awaitable[Outcome]]
"""Commits what a press changes, and returns what the surface is to show."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Actions:
    """What people press."""

    access: ReplyAccess
    """Finds replies, and checks who may read them."""
    desk: CaseService
    """Opens cases and works on them."""
    affected: AffectedActions
    answers: AnswerActions
    cases: OfficerActions
    clarification: ClarificationActions
    escalation: EscalationActions
    feedback: FeedbackActions
    follow_ups: FollowUpActions

    def routes(self) -> dict[Act | FormName, Action]:
        """Return what takes each button and each form that is handled alike everywhere."""
        return {
            Act.ANSWERS: self.feedback.accept,
            Act.REPORT: self.feedback.open,
            FormName.REPORT: self.feedback.submit,
            Act.ESCALATE: self.escalation.open,
            FormName.ESCALATION: self.escalation.submit,
            Act.CASE_ACCEPT: self.escalation.accept,
            Act.CASE_AGAIN: self.escalation.ask_again,
            Act.CASE_CLAIM: self.cases.claim,
            Act.CASE_WRONG: self.cases.mark_wrong,
            Act.CASE_PARTLY: self.cases.mark_partly,
            Act.CASE_RIGHT: self.cases.mark_right,
            Act.CASE_ACKNOWLEDGE: self.cases.acknowledge,
            Act.CASE_CLOSE: self.cases.close,
            Act.CASE_ANSWER: self.cases.begin_answer,
            FormName.CASE_ANSWER: self.cases.submit,
            Act.TELL_ASKERS: self.affected.approve,
            Act.REMOVE: self.answers.remove,
        }


def wire_actions(
    service: Service, *, membership: Membership, intake: Intake, askers: Askers, hears_threads: bool
) -> Actions:
    """Return the actions; nothing is called. See `EscalationActions` for `hears_threads`."""
    access = ReplyAccess(service.posted_answers, membership)
    return Actions(
        access=access,
        desk=service.cases,
        affected=AffectedActions(service.affected_editions, service.officers),
        answers=AnswerActions(
            access, service.posted_answers, service.answer_actions, service.cases
        ),
        cases=OfficerActions(service.cases),
        clarification=ClarificationActions(access, intake, service.clock),
        escalation=EscalationActions(
            access,
            service.cases,
            askers,
            hears_threads=hears_threads,
            contacts=service.settings.speak_up,
        ),
        feedback=FeedbackActions(access, service.feedback),
        follow_ups=FollowUpActions(access, intake, service.clock),
    )
