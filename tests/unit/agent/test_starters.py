"""Questions made of rules, as somebody asks them who is new; and which of them are offered."""

import time
from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from typing import Any

import pytest

from core.agent.reply import compose
from core.agent.request import AskRequest
from core.agent.starters.choice import MOST, StarterChoice, topic_of
from core.agent.starters.wording import Kind, worded
from core.domain.answer import Answer, Badge, Confidence, Outcome, ShownCitation
from core.domain.errors import EmptyCorpusError
from core.domain.ontology import EntityType, SectionRef
from core.domain.question import Scope
from core.language.spans import Span, VersionId
from core.ports.starters import StatedRule

DAY = date(2026, 11, 23)


def rule(
    sentence: str,
    *,
    type_: EntityType = EntityType.PERMISSION,
    at: int = 0,
    policy: str = "gifts",
    **more: Any,
) -> StatedRule:
    """Return a rule as extraction reads it."""
    attributes: Mapping[str, str] = {"sentence": sentence, **more.pop("attributes", {})}
    return StatedRule(
        type=type_,
        name=sentence,
        attributes=attributes,
        span=Span(version_id=VersionId(1), char_start=at, char_end=at + 10),
        policy_key=policy,
        policy_title=more.pop("title", "Gifts Policy"),
        **more,
    )


def asked(*rules: StatedRule) -> list[str]:
    """Return the questions made of rules."""
    return [one.question for one in worded(rules)]


@pytest.mark.parametrize(
    ("made_of", "question"),
    [
        (
            rule("Employees must not accept cash from suppliers.", type_=EntityType.PROHIBITION),
            "Can I accept cash from suppliers?",
        ),
        (
            rule("You may work remotely from another country, if your manager agrees."),
            "Can I work remotely from another country?",
        ),
        (
            rule(
                "Expense claims must be submitted within 30 days.",
                type_=EntityType.OBLIGATION,
                period="within",
            ),
            "How soon do I have to submit expense claims?",
        ),
        (
            rule("Contracts must be retained for 10 years.", type_=EntityType.OBLIGATION),
            "How long do I have to keep contracts?",
        ),
        (
            rule(
                "Staff must request vacation at least 14 days before it begins.",
                type_=EntityType.OBLIGATION,
                period="before",
            ),
            "How far in advance do I have to request vacation?",
        ),
        (
            rule("Employees may accept a gift with a value of up to EUR 75.", has_amount=True),
            "Up to what value can I accept a gift?",
        ),
        (
            rule("Can I fly business class?", type_=EntityType.SECTION),
            "Can I fly business class?",
        ),
        (
            rule("Your laptop may be used by their family.", attributes={"actor": "Visitors"}),
            None,
        ),
        (rule("Employees may do so under section 4.2."), None),
        (rule("Employees may accept it on behalf of the Group."), None),
        (rule("Employees may use the tools."), None),
        (rule("What is our policy on this?", type_=EntityType.SECTION), None),
        (rule("Employees must not harass a colleague.", type_=EntityType.PROHIBITION), None),
        (rule("Employees may accept a gift.", title="Speak Up Policy"), None),
    ],
)
def test_a_rule_becomes_what_a_person_asks(made_of: StatedRule, question: str | None) -> None:
    """Without its conditions and figures, which the answer states; or nothing is made of it."""
    assert (question in asked(made_of)) if question else (asked(made_of) == [])


def test_hostile_rules_take_no_time() -> None:
    """Linear in their length: nobody waits for a policy that somebody prepared."""
    began_s = time.process_time()
    for piece in (
        "at least the ",
        "Employees may ",
        " , ",
        "a or ",
        "be used or ",
        "(",
        "of up to ",
    ):
        assert len(asked(rule(f"Employees may accept {piece * 8_000}"))) <= 1
        assert asked(rule(f"{piece * 60}EUR 5", has_amount=True)) is not None
    assert time.process_time() - began_s < 10


@pytest.mark.parametrize(
    ("title", "topic"),
    [
        ("Gifts and Hospitality Policy", "Gifts and Hospitality"),
        ("REMOTE WORK POLICY", "Remote work"),
        ("Policy", "Policy"),
        ("Purpose and Scope", "Policy question"),
        ("Information Security and Acceptable Use of All Systems", "Information Security"),
    ],
)
def test_a_topic_fits_a_button(title: str, topic: str) -> None:
    """32 characters, whole words."""
    assert topic_of(title) == topic


class Rules:
    """See `StarterStore`: keeps nothing."""

    def __init__(self, *rules: StatedRule) -> None:
        self._rules = rules

    async def rules(self, scope: Scope, /) -> tuple[StatedRule, ...]:
        assert scope.groups == {"everyone"}
        return self._rules


class Answers:
    """Answers every question, quoting the place that its number says; some are not sure."""

    def __init__(self, *, badge: Badge = Badge.HIGH, elsewhere: int = 0) -> None:
        self.asked: list[str] = []
        self._badge = badge
        self._elsewhere = elsewhere

    async def rehearse(self, request: AskRequest, **_: Any) -> Any:
        self.asked.append(request.text)
        start = self._elsewhere or int(next(filter(str.isdigit, request.text), "0"))
        place = SectionRef(
            policy_key="gifts",
            policy_title="Gifts Policy",
            version_label=None,
            jurisdiction=None,
            eid="s1",
            number=None,
            title="",
            page=None,
        )
        cited = ShownCitation(
            number=1,
            key="c1",
            span=Span(version_id=VersionId(1), char_start=start, char_end=start + 5),
            quote="",
            place=place,
            effective_from=None,
        )
        sure = Confidence(reported=None, calibrated=0.9, badge=self._badge, is_calibrated=True)
        made = replace(compose.failed(), outcome=Outcome.ANSWERED, confidence=sure)
        return _Run(replace(made, citations=(cited,)))


class _Run:
    def __init__(self, answer: Answer) -> None:
        self.answer = answer


class Empty:
    """Has no policy."""

    async def rehearse(self, request: AskRequest, **_: Any) -> Any:
        raise EmptyCorpusError


def choice(rules: Rules, answering: Any, by_rules: Any = None) -> StarterChoice:
    """Return what chooses."""
    store: Any = rules
    return StarterChoice(store=store, answering=answering, rules=by_rules, embedder=None)


MANY = [
    rule(f"Employees may accept {what} from {policy}.", policy=policy, title=f"{policy} Policy")
    for policy in ("suppliers", "clients", "agents", "brokers", "banks")
    for what in ("presents", "invitations", "vouchers")
]


async def test_they_are_spread_over_the_policies() -> None:
    """One of each, as many as Slack takes."""
    found = await choice(Rules(*MANY), Answers()).choose(on_day=DAY)
    assert len(found) == MOST
    assert len({one.policy_key for one in found}) == MOST
    assert all(one.badge is Badge.HIGH for one in found)


async def test_nothing_is_offered_that_is_not_surely_answered() -> None:
    """By its badge, and by the rule that it quotes."""
    assert await choice(Rules(*MANY), Answers(badge=Badge.LOW)).choose(on_day=DAY) == ()
    assert await choice(Rules(*MANY), Answers(elsewhere=400)).choose(on_day=DAY) == ()


async def test_a_model_is_asked_little_more_than_is_kept() -> None:
    """What rules can't answer it is not asked; and what it can't answer is not offered."""
    model = Answers()
    assert len(await choice(Rules(*MANY), model, Answers()).choose(on_day=DAY)) == MOST
    assert len(model.asked) == MOST
    model = Answers(badge=Badge.LOW)
    assert await choice(Rules(*MANY), model, Answers()).choose(on_day=DAY) == ()
    assert len(model.asked) <= 10


async def test_an_admins_questions_are_offered_and_checked() -> None:
    """Whether they are answered or not; without policies, too."""
    named = ("Can I accept a gift?",)
    (sure,) = await choice(Rules(), Answers()).choose(on_day=DAY, named=named)
    (unsure,) = await choice(Rules(), Answers(badge=Badge.LOW)).choose(on_day=DAY, named=named)
    (none,) = await choice(Rules(), Empty()).choose(on_day=DAY, named=named)
    assert [one.badge for one in (sure, unsure, none)] == [Badge.HIGH, None, None]
    assert {one.question for one in (sure, unsure, none)} == set(named)


def test_limits_come_first() -> None:
    """They are what people ask most."""
    assert Kind.LIMIT < Kind.DEADLINE < Kind.PERMISSION < Kind.DUTY
