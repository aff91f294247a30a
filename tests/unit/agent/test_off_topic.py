"""What has nothing to do with a company ends in a word about what the bot is for."""

from dataclasses import replace
from pathlib import Path

import pytest

from core.adapters.local.embedder import LocalEmbedder, LocalOffTopic, find_local_embedder
from core.agent.conversation.small_talk import SmallTalk
from core.agent.reply import compose
from core.agent.reply.release import (
    OFF_TOPIC_AT_ALL,
    OFF_TOPIC_FOR_SURE,
    OFF_TOPIC_FROM,
    may_be_off_topic,
    refusal,
    unless_off_topic,
)
from core.agent.wording import ASK_A_PERSON, REFUSALS
from core.domain.answer import Answer, Outcome, RefusalKind
from core.domain.errors import ContractError
from core.domain.run import Clarification
from tests.factories import public_report

NOT_FOUND = refusal(RefusalKind.NOT_FOUND)
OFF = refusal(RefusalKind.OUT_OF_SCOPE)
ASKED = compose.clarifying(Clarification(intent="general", question="Where?", slot="country"))


@pytest.fixture(scope="module")
def model() -> LocalOffTopic:
    """The weights that the product carries, over its embedder."""
    embedder = find_local_embedder(None)
    assert isinstance(embedder, LocalEmbedder)
    return LocalOffTopic(embedder)


@pytest.mark.parametrize(
    "text",
    [
        "What is the weather tomorrow?",
        "who won the match?",
        "write me a poem",
        "what's 12 times 14",
        "tell me a joke",
        "book me a flight to Rome",
        "help me word a birthday card for my grandmother",
        "who invented the telephone",
        "which series should I watch on netflix",
        "how do airplanes fly",
        "let's play chess",
        "what can I cook with chicken and rice",
    ],
)
async def test_the_weather_is_no_affair_of_a_company(model: LocalOffTopic, text: str) -> None:
    """Nobody in Compliance need read these."""
    assert await model.likelihood(text) >= OFF_TOPIC_FOR_SURE


@pytest.mark.parametrize(
    "text",
    [
        "do we have a policy on tattoos?",
        "can I bring my dog?",
        "is there a dress code",
        "can I book a flight to Rome in business class?",
        "may I translate the contract with an online tool?",
        "can I buy shares of our company",
        "what do I do when the fire alarm goes off",
        "may I listen to music while working",
        "when is my salary paid",
        "can my kids come to the office",
        "do I get a day off when I move",
        "who pays for lunch with a customer",
    ],
)
async def test_what_a_policy_may_rule_is_passed_on(model: LocalOffTopic, text: str) -> None:
    """Unanswered is not off topic."""
    assert await model.likelihood(text) < OFF_TOPIC_FROM


def test_off_topic_offers_no_case() -> None:
    """The reply says what the bot is for, and nothing of Compliance."""
    answer = unless_off_topic(NOT_FOUND, 0.9)
    assert (answer.outcome, answer.refusal) == (Outcome.REFUSED, RefusalKind.OUT_OF_SCOPE)
    assert answer.text == REFUSALS[RefusalKind.OUT_OF_SCOPE].en
    assert ASK_A_PERSON.en not in answer.text
    assert unless_off_topic(NOT_FOUND, OFF_TOPIC_FROM - 0.01) is NOT_FOUND


@pytest.mark.parametrize(
    "answer",
    [ASKED, refusal(RefusalKind.POLICY_SILENT), replace(NOT_FOUND, refusal=RefusalKind.NOT_SURE)],
)
def test_what_was_found_or_asked_back_gives_way_only_for_sure(answer: Answer) -> None:
    """Where the policies treat something alike, more is needed to call a question none."""
    assert unless_off_topic(answer, OFF_TOPIC_FOR_SURE - 0.01) is answer
    given = unless_off_topic(answer, OFF_TOPIC_FOR_SURE)
    assert given.refusal is RefusalKind.OUT_OF_SCOPE


@pytest.mark.parametrize(
    ("answer", "may_be"),
    [
        (NOT_FOUND, True),
        (ASKED, True),
        (refusal(RefusalKind.NOT_FOUND, needs_person=True), False),
        (refusal(RefusalKind.CONFLICT), False),
        (refusal(RefusalKind.NOT_PERMITTED), False),
        (public_report(), False),
        (compose.small_talk_reply(SmallTalk.GREETING), False),
        (compose.failed(), False),
        (replace(NOT_FOUND, outcome=Outcome.ANSWERED, refusal=None), False),
    ],
)
def test_what_was_said_is_never_taken_back(answer: Answer, *, may_be: bool) -> None:
    """Answers, contradictions, reports and what is with a person stay as they are."""
    assert may_be_off_topic(answer) is may_be


@pytest.mark.parametrize("said", ["", "{}", '{"space": "other", "intercept": 0, "weights": []}'])
async def test_weights_for_something_else_are_refused(
    model: LocalOffTopic, tmp_path: Path, said: str
) -> None:
    """A likelihood from other vectors would be a number without a meaning."""
    path = tmp_path / "weights.json"
    path.write_text(said)
    embedder = find_local_embedder(None)
    assert isinstance(embedder, LocalEmbedder)
    with pytest.raises(ContractError):
        await LocalOffTopic(embedder, weights=path).likelihood("hello")


@pytest.mark.parametrize(
    "text",
    ["how many days of sick leave do I get?", "is my salary paid during suspension?"],
)
async def test_what_the_corpus_leaves_open_is_not_off_topic(
    model: LocalOffTopic, text: str
) -> None:
    """Low relevance alone says that of whatever the policies happen not to treat."""
    assert may_be_off_topic(OFF)
    ended = unless_off_topic(OFF, await model.likelihood(text))
    assert ended.refusal is RefusalKind.NOT_FOUND
    assert ASK_A_PERSON.en in ended.text


def test_low_relevance_and_a_likelihood_are_enough() -> None:
    """Less than what the likelihood alone must be."""
    assert unless_off_topic(OFF, OFF_TOPIC_AT_ALL) is OFF
    assert not may_be_off_topic(compose.too_long(8_000))
