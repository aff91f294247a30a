"""Values that somebody made up, or took from elsewhere: each button and each form, by who may not.

An id of this workspace is known to whoever reads a payload in a browser. So every one is tried with
the ids of another person's direct conversation, of another case, of nothing, and by a stranger.
"""

from collections.abc import AsyncIterator
from dataclasses import dataclass, replace

import pytest

from tests.acceptance.slack.office import (
    OPEN_QUESTION,
    QUESTION,
    Office,
    office,
    picked,
    pressable,
    shown,
    typed,
)
from tests.servers.slack import FakeSlack
from tests.servers.slack.people import User
from tests.servers.slack.posts import Message

NOTHING = "0198c0de-0000-7000-8000-000000000000"
ODD = ("", "|up", "x" * 300, f"{NOTHING}|sideways", "' OR 1=1 --", "../../etc", "\x00")
ON_ANSWERS = (
    "answer_feedback",
    "answer_remove",
    "clarify:0",
    "escalate_open",
    "evidence_open",
    "follow_up:0",
    "report_open",
    "share",
)
ON_CASES = (
    *("case_claim", "case_answer", "case_right", "case_partly", "case_wrong", "case_close"),
    *("case_accept", "case_reopen"),
)
PRIVATE_WORDS = "Gifts and Hospitality Policy"


@pytest.fixture
async def bureau(slack: FakeSlack, slack_database: str) -> AsyncIterator[Office]:
    """The product, with officers."""
    async with office(slack, slack_database) as running:
        yield running


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """Anna has asked directly and has a case; everybody reads a message with any button."""

    own: str
    """The answer to Anna's direct question."""
    asked_back: str
    """A question back to her."""
    case: str
    """Her case."""
    forged: Message
    """A message of ours in the room, with every button there is."""


async def set_up(bureau: Office) -> Scene:
    """Let Anna ask directly and hand it to Compliance."""
    said = await bureau.slack.people.ask(bureau.anna, QUESTION)
    answer = await bureau.served.answer_to(said.message)
    await bureau.sent(answer)
    said = await bureau.slack.people.ask(bureau.anna, OPEN_QUESTION)
    back = await bureau.served.answer_to(said.message)
    (case,) = await bureau.served.rows("SELECT id::text FROM citebound.cases")
    public = await bureau.answered()
    public.text = "forged"
    public.blocks = [
        {
            "type": "actions",
            "block_id": "forged",
            "elements": [
                {"type": "button", "action_id": one, "value": NOTHING, "text": {"text": "x"}}
                for one in (*ON_ANSWERS, *ON_CASES)
            ],
        }
    ]
    return Scene(
        own=value_of(answer, "evidence_open"),
        asked_back=value_of(back, "clarify:0").partition("|")[0],
        case=str(case["id"]),
        forged=public,
    )


def value_of(message: Message, action: str) -> str:
    """Return the value of a button."""
    assert action in pressable(message)
    found = [one for block in message.blocks for one in block.get("elements", [])]
    return next(one["value"] for one in found if one.get("action_id") == action)


async def state(bureau: Office) -> list[dict[str, object]]:
    """Return all that a press may change; what was refused is recorded, and changes nothing."""
    return await bureau.served.rows(
        "SELECT (SELECT count(*) FROM citebound.inbox) AS inbox,"
        " (SELECT count(*) FROM citebound.outbox) AS outbox,"
        " (SELECT count(*) FROM citebound.outbox WHERE removed_at IS NOT NULL) AS removed,"
        " (SELECT count(*) FROM citebound.feedback) AS feedback,"
        " (SELECT count(*) FROM citebound.cases) AS cases,"
        " (SELECT string_agg(state || coalesce(owner, ''), ',' ORDER BY number)"
        "  FROM citebound.cases) AS states"
    )


def told_to(bureau: Office, person: User) -> str:
    """Return all that somebody alone has seen: whispers, modals, direct messages."""
    slack = bureau.slack
    seen = [one.text for one in slack.checks.seen_by(person.id)]
    seen += [shown(one) for one in slack.presses.views_of(person)]
    seen += [shown(one) for one in bureau.direct_messages(person)]
    return "\n".join(seen)


@pytest.mark.parametrize("who", ["colleague", "outsider", "guest"])
async def test_ids_of_somebody_elses_do_nothing(bureau: Office, who: str) -> None:
    """Every button with the id of Anna's answer, question back and case: nothing changes.

    Pressed where everybody reads, and in a direct conversation of their own with us.
    """
    scene, slack = await set_up(bureau), bureau.slack
    person = {
        "colleague": lambda: bureau.ben,
        "outsider": lambda: slack.workspace.outsider("eve"),
        "guest": lambda: slack.workspace.user("gus", is_restricted=True),
    }[who]()
    before = await state(bureau)
    theirs = slack.workspace.direct(person).id
    own = slack.workspace.add(
        replace(scene.forged, channel=theirs, ts=slack.workspace.new_ts(), thread_ts=None)
    )
    for forged in (scene.forged, own):
        for action in ON_ANSWERS:
            target = scene.asked_back if action == "clarify:0" else scene.own
            choices = {"answer_feedback": "|up", "clarify:0": "|0", "follow_up:0": "|0"}
            value = f"{target}{choices.get(action, '')}"
            pressed = await slack.presses.click(person, forged, action, value=value)
            assert pressed.acknowledged, action
        for action in ON_CASES:
            pressed = await slack.presses.click(person, forged, action, value=scene.case)
            assert pressed.acknowledged, action
    await bureau.served.quiet()
    assert await state(bureau) == before
    assert PRIVATE_WORDS not in told_to(bureau, person)
    for view in slack.presses.views_of(person):
        assert view.content["callback_id"] in {"evidence", "done"}


async def test_values_of_nothing_do_nothing(bureau: Office) -> None:
    """By the asker, by an officer: an id that is none, or a text that is no id."""
    scene, slack = await set_up(bureau), bureau.slack
    before = await state(bureau)
    for person in (bureau.anna, bureau.olga):
        for action in (*ON_ANSWERS, *ON_CASES):
            for value in (NOTHING, *ODD):
                pressed = await slack.presses.click(person, scene.forged, action, value=value)
                assert pressed.acknowledged, (action, value)
    await bureau.served.quiet()
    assert await state(bureau) == before


async def test_forms_with_ids_of_somebody_elses_do_nothing(bureau: Office) -> None:
    """What a form carries comes back from a client, too."""
    scene, slack = await set_up(bureau), bureau.slack
    before = await state(bureau)
    public = await bureau.answered()
    before = await state(bureau)
    report = await bureau.form(bureau.ben, public, "report_open")
    report.content["private_metadata"] = f'{{"a":"{scene.own}"}}'
    await slack.presses.submit(bureau.ben, report, {"why": picked("wrong")})
    assert "You can't see this here" in shown(report)
    escalate = await bureau.form(bureau.anna, public, "escalate_open")
    await slack.presses.submit(bureau.ben, escalate, {"note": typed("mine now")})
    assert "Only the person who asked" in shown(escalate)
    (card, *_) = bureau.cards()
    answer = await bureau.form(bureau.olga, card, "case_answer")
    await slack.presses.submit(bureau.ben, answer, {"answer": typed("All is allowed.")})
    assert "Only compliance officers" in shown(answer)
    await bureau.served.quiet()
    assert await state(bureau) == before
    for metadata in ("", "nothing", "[]", f'{{"a":"{NOTHING}"}}', '{"a":7}'):
        form = await bureau.form(bureau.anna, public, "report_open")
        form.content["private_metadata"] = metadata
        sent = await slack.presses.submit(bureau.anna, form, {"why": picked("wrong")})
        assert sent.acknowledged, metadata
        form.is_open = False
    assert await state(bureau) == before


async def test_whose_answer_it_is_says_the_database(bureau: Office) -> None:
    """The asker's own buttons work where they stand: not everything is refused to everybody."""
    said = await bureau.slack.people.ask(bureau.anna, QUESTION)
    own = await bureau.served.answer_to(said.message)
    before = await state(bureau)
    await bureau.slack.presses.click(bureau.anna, own, "answer_feedback", positive=True)
    await bureau.slack.presses.click(bureau.anna, own, "follow_up:0")
    await bureau.served.quiet()
    after = await state(bureau)
    assert after[0]["feedback"] == 1
    assert after != before
