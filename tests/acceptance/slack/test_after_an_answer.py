"""What may be done with an answer, and by whom: look, judge, ask on, share, remove."""

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.acceptance.slack import treasury
from tests.acceptance.slack.office import (
    QUESTION,
    REPORT,
    Office,
    office,
    picked,
    pressable,
    shown,
    typed,
)
from tests.servers.slack import FakeSlack, live_links, live_mentions
from tests.servers.slack.faults import error, status
from tests.servers.slack.posts import Message
from tests.servers.slack.workspace import View

PRIVATE = "You can't see this here"


@pytest.fixture
async def bureau(slack: FakeSlack, slack_database: str) -> AsyncIterator[Office]:
    """The product, with officers."""
    async with office(slack, slack_database) as running:
        yield running


def link_of(channel: str, ts: str) -> str:
    """Return how the address of a message ends."""
    return f"archives/{channel}/p{ts.replace('.', '')}"


async def evidence_of(bureau: Office, answer: Message) -> View:
    """Open the evidence as Ben, and wait until it is read."""
    view = await bureau.form(bureau.ben, answer, "evidence_open")
    await bureau.slack.until(lambda: "Loading" not in shown(view), timeout_s=15)
    return view


async def test_evidence_is_quoted_in_its_context(bureau: Office) -> None:
    """Opened at once; then each claim, its quote word by word, where it stands."""
    answer = await bureau.answered()
    view = await evidence_of(bureau, answer)
    assert [one.method for one in bureau.slack.journal.of("views.open", "views.update")] == [
        "views.open",
        "views.update",
    ]
    for words in ("backed by quoted policy text", "Gifts and Hospitality Policy", "[1]"):
        assert words in shown(view)
    assert answer.metadata is not None


async def test_evidence_is_for_those_who_may_read(bureau: Office) -> None:
    """Not for somebody outside of the channel, nor of another's direct message."""
    answer = await bureau.answered()
    view = await bureau.form(bureau.oskar, answer, "evidence_open")
    await bureau.slack.until(lambda: PRIVATE in shown(view), timeout_s=15)
    assert "Gifts and Hospitality" not in shown(view)
    said = await bureau.slack.people.ask(bureau.anna, QUESTION)
    own = await bureau.served.answer_to(said.message)
    view = await bureau.form(bureau.ben, own, "evidence_open")
    await bureau.slack.until(lambda: PRIVATE in shown(view), timeout_s=15)


async def test_evidence_that_slack_does_not_open(bureau: Office) -> None:
    """Whoever pressed is told, and nobody else."""
    answer = await bureau.answered()
    bureau.slack.faults.next("views.open", error("expired_trigger_id"))
    await bureau.slack.presses.click(bureau.ben, answer, "evidence_open")
    assert "press the button again" in await bureau.whispered(bureau.ben)


async def test_the_last_thumb_counts(bureau: Office) -> None:
    """All are kept; one that points down is asked why, and each hears what happens next."""
    answer, slack = await bureau.answered(), bureau.slack
    await slack.presses.click(bureau.ben, answer, "answer_feedback", positive=True)
    assert "recorded with the answer" in await bureau.whispered(bureau.ben)
    form = await bureau.form(bureau.ben, answer, "answer_feedback", positive=False)
    assert form.content["callback_id"] == "report_submit"
    await slack.presses.submit(
        bureau.ben, form, {"why": picked("incomplete"), "txt": typed("What of cash?")}
    )
    assert "Compliance reviews this answer" in shown(form)
    rows = await bureau.served.rows(
        "SELECT rating, reason, comment FROM citebound.feedback ORDER BY id"
    )
    assert [tuple(row.values()) for row in rows] == [
        ("positive", None, ""),
        ("negative", None, ""),
        ("negative", "incomplete", "What of cash?"),
    ]
    counts = await bureau.served.rows("SELECT positive, negative FROM audit.v_feedback_counts")
    assert counts == [{"positive": 0, "negative": 1}]


async def test_only_those_who_may_read_judge(bureau: Office) -> None:
    """Not who is outside of the channel, also with a form that was opened by somebody else."""
    answer, slack = await bureau.answered(), bureau.slack
    await slack.presses.click(bureau.oskar, answer, "answer_feedback", positive=True)
    await slack.presses.click(bureau.oskar, answer, "report_open")
    await slack.journal.wait_for("chat.postEphemeral", times=2, timeout_s=15)
    assert slack.presses.views_of(bureau.oskar) == []
    form = await bureau.form(bureau.ben, answer, "report_open")
    await slack.presses.submit(bureau.oskar, form, {"why": picked("wrong")})
    assert PRIVATE in shown(form)
    form = await bureau.form(bureau.ben, answer, "report_open")
    sent = await slack.presses.submit(bureau.ben, form, {"why": picked("forged")})
    assert sent.answer["response_action"] == "errors"
    assert await bureau.served.rows("SELECT 1 FROM citebound.feedback") == []


async def test_forged_values_do_nothing(bureau: Office) -> None:
    """An id of nothing, and none at all: acknowledged, refused or ignored; nothing is kept."""
    answer = await bureau.answered()
    nothing = "0198c0de-0000-7000-8000-000000000000"
    for times, action in enumerate(("escalate_open", "report_open"), start=1):
        pressed = await bureau.slack.presses.click(bureau.anna, answer, action, value=nothing)
        assert pressed.acknowledged
        assert PRIVATE in await bureau.whispered(bureau.anna, times=times)
    for value in ("", "|up", "x" * 200, f"{nothing}|sideways"):
        for action in ("answer_feedback", "escalate_open", "report_open"):
            pressed = await bureau.slack.presses.click(bureau.anna, answer, action, value=value)
            assert pressed.acknowledged
    await bureau.served.quiet()
    assert await bureau.cases() == []
    assert await bureau.served.rows("SELECT 1 FROM citebound.feedback") == []


async def test_a_removed_answer_is_gone_but_not_its_record(bureau: Office) -> None:
    """By who asked, once; others are refused; afterwards nothing can be done to it."""
    answer, slack = await bureau.answered(), bureau.slack
    before = dict(answer.shown())
    await slack.presses.click(bureau.ben, answer, "answer_remove")
    assert "Only the person who asked" in await bureau.whispered(bureau.ben)
    await slack.presses.click(bureau.anna, answer, "answer_remove")
    await bureau.served.quiet()
    assert "was removed. Its record is kept" in answer.text
    assert "Gifts and Hospitality" not in shown(answer)
    answer.blocks = before["blocks"]
    await slack.presses.click(bureau.anna, answer, "answer_remove")
    assert "already been removed" in await bureau.whispered(bureau.anna)
    assert await bureau.tags("reply:removed") == ["reply:removed"]
    await slack.presses.click(bureau.anna, answer, "escalate_open")
    assert "already been settled" in await bureau.whispered(bureau.anna, times=2)
    view = await bureau.form(bureau.anna, answer, "evidence_open")
    await slack.until(lambda: "already been settled" in shown(view), timeout_s=15)


async def test_a_superseded_answer_is_settled(bureau: Office) -> None:
    """Pressed late, its buttons do nothing but say so."""
    answer = await bureau.answered()
    before = answer.blocks
    await bureau.sent(answer)
    (card,) = bureau.cards()
    form = await bureau.form(bureau.olga, card, "case_answer")
    await bureau.slack.presses.submit(bureau.olga, form, {"answer": typed("No.")})
    await bureau.served.quiet()
    answer.blocks = before
    for times, action in enumerate(("answer_feedback", "report_open"), start=1):
        more = {"positive": True} if action == "answer_feedback" else {}
        await bureau.slack.presses.click(bureau.ben, answer, action, **more)
        assert "already been settled" in await bureau.whispered(bureau.ben, times=times)


async def test_a_suggestion_is_asked_in_the_thread(bureau: Office) -> None:
    """By who asked, once: quoted with their name, and answered."""
    answer = await bureau.answered()
    suggested = [one for one in pressable(answer) if one.startswith("follow_up:")]
    assert suggested
    await bureau.slack.presses.click(bureau.ben, answer, suggested[0])
    assert "Only the person who asked" in await bureau.whispered(bureau.ben)
    for _ in range(2):
        await bureau.slack.presses.click(bureau.anna, answer, suggested[0])
    assert "asked before" in await bureau.whispered(bureau.anna)
    await bureau.served.quiet()
    _, *later = bureau.thread(answer)
    quotes = [one for one in later if "asked:" in one.text]
    assert len(quotes) == 1
    assert live_mentions(quotes[0]) == [bureau.anna.id] * 2
    assert quotes[0].metadata, "the next attempt would take it for progress"
    assert len(later) == 2
    assert len(await bureau.served.rows("SELECT 1 FROM citebound.questions")) == 2


async def test_a_private_answer_is_shared(bureau: Office) -> None:
    """`/policy`: the answer directly, then for the channel, once, with the question."""
    slack = bureau.slack
    told = await slack.presses.command(bureau.anna, bureau.room, QUESTION)
    assert "direct messages" in told.answer["text"]
    await bureau.served.quiet()
    answer = bureau.direct_messages(bureau.anna)[-1]
    assert "share" in pressable(answer)
    assert link_of(answer.channel, answer.root) in told.answer["text"]
    for times in (2, 3):
        await slack.presses.click(bureau.anna, answer, "share")
        pointer = await bureau.whispered(bureau.anna, times=times)
        assert "The channel sees the answer now." in pointer
    await bureau.served.quiet()
    (copy,) = [one for one in slack.checks.by_app() if one.channel == bureau.room.id]
    assert link_of(copy.channel, copy.ts) in pointer
    assert copy.thread_ts is None
    assert QUESTION in shown(copy)
    assert "Gifts and Hospitality Policy" in shown(copy)
    assert "share" not in pressable(copy)
    view = await evidence_of(bureau, copy)
    assert "backed by quoted policy text" in shown(view)
    await slack.presses.click(bureau.anna, answer, "answer_remove")
    await bureau.served.quiet()
    assert "was removed" in copy.text
    assert "Gifts" not in shown(copy)


async def test_what_was_shared_and_not_shown_is_not_said_to_be(bureau: Office) -> None:
    """The channel refuses it after the press: its asker hears that, and keeps the answer."""
    slack = bureau.slack
    await slack.presses.command(bureau.anna, bureau.room, QUESTION)
    await bureau.served.quiet()
    answer = bureau.direct_messages(bureau.anna)[-1]
    slack.faults.next("chat.postMessage", error("restricted_action"))
    await slack.presses.click(bureau.anna, answer, "share")
    assert "could not be shown in that channel" in await bureau.whispered(bureau.anna, times=2)
    assert [one for one in slack.checks.by_app() if one.channel == bureau.room.id] == []


async def test_what_cannot_be_shown_to_one_person_comes_directly(bureau: Office) -> None:
    """Somebody who has left the channel presses: refused, and told so in a direct message."""
    answer, slack = await bureau.answered(), bureau.slack
    bureau.room.members.remove(bureau.ben.id)
    await slack.presses.click(bureau.ben, answer, "answer_remove")
    await slack.until(lambda: bool(bureau.direct_messages(bureau.ben)), timeout_s=15)
    (told,) = bureau.direct_messages(bureau.ben)
    assert "Only the person who asked" in told.text
    assert slack.checks.seen_by(bureau.ben.id) == []


async def test_a_notice_for_one_person_comes_directly_where_it_must(bureau: Office) -> None:
    """Who reported leaves the channel before the pointer is shown: it comes directly."""
    slack = bureau.slack
    slack.faults.next("chat.postEphemeral", error("user_not_in_channel"))
    said = await slack.people.mention(bureau.anna, bureau.room, REPORT)
    await bureau.served.quiet()
    slack.checks.no_answer(said.message)
    (told,) = bureau.direct_messages(bureau.anna)
    assert "escalate_open" in pressable(told)


async def test_what_not_all_may_read_is_not_shared(slack: FakeSlack, slack_database: str) -> None:
    """A channel with a guest, and one without us."""
    async with office(slack, slack_database) as bureau:
        await slack.presses.command(bureau.anna, bureau.room, QUESTION)
        await bureau.served.quiet()
        answer = bureau.direct_messages(bureau.anna)[-1]
        bureau.room.members.append(slack.workspace.user("gus", is_restricted=True).id)
        await slack.presses.click(bureau.anna, answer, "share")
        assert "Not everyone" in await bureau.whispered(bureau.anna, times=2)
        await bureau.served.quiet()
        assert [one for one in slack.checks.by_app() if one.channel == bureau.room.id] == []
        assert live_links(answer) == []


async def test_a_channel_that_we_are_not_in_is_not_shared_to(bureau: Office) -> None:
    """The asker is told to invite us; nothing is posted."""
    slack = bureau.slack
    await slack.presses.command(bureau.anna, bureau.room, QUESTION)
    await bureau.served.quiet()
    answer = bureau.direct_messages(bureau.anna)[-1]
    bureau.room.members.remove(slack.workspace.app.bot_user)
    await slack.presses.click(bureau.anna, answer, "share")
    assert "I'm not in that channel" in await bureau.whispered(bureau.anna, times=2)
    await bureau.served.quiet()
    assert [one for one in slack.checks.by_app() if one.channel == bureau.room.id] == []


async def test_a_question_that_we_quote_is_not_taken_for_progress(bureau: Office) -> None:
    """The next attempt looks for what the first one drew: a quoted question is nothing of that."""
    slack = bureau.slack
    slack.faults.next("users.info", status(500), status(500))
    await slack.presses.command(bureau.anna, bureau.room, QUESTION)
    await bureau.served.quiet()
    assert await bureau.served.rows("SELECT attempt FROM citebound.inbox") == [{"attempt": 2}]
    quoted, answer = bureau.direct_messages(bureau.anna)
    assert "asked:" in shown(quoted)
    assert "Gifts and Hospitality Policy" in shown(answer)


async def test_an_officer_takes_an_answer_away(bureau: Office) -> None:
    """Somebody else's, with the record of who did; a colleague may not."""
    answer = await bureau.answered()
    await bureau.slack.presses.click(bureau.ben, answer, "answer_remove")
    assert "Only the person who asked" in await bureau.whispered(bureau.ben)
    await bureau.served.quiet()
    assert "Gifts and Hospitality Policy" in shown(answer)
    await bureau.slack.presses.click(bureau.olga, answer, "answer_remove")
    await bureau.served.quiet()
    assert "was removed" in answer.text
    assert "Gifts" not in shown(answer)
    (kept,) = await bureau.served.rows(
        "SELECT doc->'actor' AS actor FROM audit.record WHERE tag = 'reply:removed'"
    )
    assert kept == {"actor": {"kind": "officer", "ref": "olga"}}


async def test_mine_lists_what_is_open_with_links(bureau: Office) -> None:
    """The asker's own, and nobody else's."""
    answer = await bureau.answered()
    told = await bureau.slack.presses.command(bureau.anna, bureau.room, "mine")
    assert told.answer["text"] == "You have no open questions."
    await bureau.sent(answer)
    told = await bureau.slack.presses.command(bureau.anna, bureau.room, "mine")
    assert f"|{QUESTION}> - waiting for Compliance (case 1)" in told.answer["text"]
    told = await bureau.slack.presses.command(bureau.ben, bureau.room, "mine")
    assert told.answer["text"] == "You have no open questions."
    told = await bureau.slack.presses.command(bureau.ben, bureau.room, "admin")
    assert "Only compliance officers" in told.answer["text"]
    told = await bureau.slack.presses.command(bureau.olga, bureau.room, "admin")
    assert "Audience" in told.answer["text"]


async def test_evidence_that_does_not_fit_has_pages(
    bureau: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Forth and back in the same modal; each page holds what the others do not."""
    monkeypatch.setattr("bot.slack.blocks.evidence.PAGE_BLOCKS", 2)
    answer, slack = await bureau.answered(), bureau.slack
    view = await evidence_of(bureau, answer)
    pages = [shown(view)]
    assert "Page 1 of" in pages[0]
    count = int(pages[0].partition("Page 1 of ")[2].partition('"')[0])
    assert count > 1
    for page in range(1, count):
        await slack.presses.click(bureau.ben, view, f"evidence_page:{page}")
        await slack.until(lambda to=page: f"Page {to + 1} of {count}" in shown(view), timeout_s=15)
        pages.append(shown(view))
    assert len(set(pages)) == count
    assert f"evidence_page:{count}" not in pages[-1]
    await slack.presses.click(bureau.ben, view, f"evidence_page:{count - 2}")
    await slack.until(lambda: f"Page {count - 1} of" in shown(view), timeout_s=15)
    assert slack.presses.views_of(bureau.ben) == [view]
    beyond = f"{json.loads(view.content['private_metadata'])['a']}|999"
    await slack.presses.click(bureau.ben, view, pressable(view)[-1], value=beyond)
    await slack.until(lambda: f"Page {count} of" in shown(view), timeout_s=15)


async def test_plain_thumbs_count_too(bureau: Office) -> None:
    """Where Slack takes no row of thumbs there are two buttons; down is asked why."""
    slack = bureau.slack
    slack.faults.without("chat.startStream")
    slack.faults.next("chat.postMessage", error("invalid_blocks"))
    answer = await bureau.answered()
    assert "answer_feedback" not in pressable(answer)
    await slack.presses.click(bureau.ben, answer, "answer_feedback:up")
    assert "recorded with the answer" in await bureau.whispered(bureau.ben)
    form = await bureau.form(bureau.ben, answer, "answer_feedback:down")
    await slack.presses.submit(bureau.ben, form, {"why": picked("wrong")})
    rows = await bureau.served.rows("SELECT rating, reason FROM citebound.feedback ORDER BY id")
    assert [tuple(row.values()) for row in rows] == [
        ("positive", None),
        ("negative", None),
        ("negative", "wrong"),
    ]


async def test_a_shared_copy_is_superseded_with_its_answer(bureau: Office) -> None:
    """The officer's answer goes to the asker alone; the copy says that it no longer holds."""
    slack = bureau.slack
    await slack.presses.command(bureau.anna, bureau.room, QUESTION)
    await bureau.served.quiet()
    answer = bureau.direct_messages(bureau.anna)[-1]
    await slack.presses.click(bureau.anna, answer, "share")
    await bureau.whispered(bureau.anna, times=2)
    (copy,) = [one for one in slack.checks.by_app() if one.channel == bureau.room.id]
    await bureau.sent(answer)
    (card,) = bureau.cards()
    form = await bureau.form(bureau.olga, card, "case_answer")
    await slack.presses.submit(bureau.olga, form, {"answer": typed("Never more than ten.")})
    await bureau.served.quiet()
    for stands in (copy, answer):
        assert "Superseded by Compliance" in shown(stands)
    assert "Never more than ten." in shown(bureau.direct_messages(bureau.anna)[-1])
    told = [shown(one) for one in slack.checks.by_app() if one.channel == bureau.room.id]
    assert not [one for one in told if "Never more than ten." in one]
    assert "evidence_open" not in pressable(copy)


async def test_what_is_for_some_is_not_shared_with_all(
    slack: FakeSlack, slack_database: str, tmp_path: Path
) -> None:
    """Finance's policy: into a channel of Finance yes, with one other member in it no."""
    await treasury.publish(slack_database)
    rights = tmp_path / "slack.toml"
    rights.write_text('[groups]\nfinance = ["U0ANNA", "U0BEN"]\n')
    async with office(slack, slack_database, config=rights) as bureau:
        mixed = slack.workspace.channel("mixed", bureau.anna, bureau.ben, bureau.oskar)
        ours = slack.workspace.channel("ours", bureau.anna, bureau.ben, kind="group")
        for place, is_shared in ((mixed, False), (ours, True)):
            before = len(slack.checks.seen_by(bureau.anna.id))
            await slack.presses.command(bureau.anna, place, treasury.QUESTION)
            await bureau.served.quiet()
            answer = bureau.direct_messages(bureau.anna)[-1]
            assert treasury.SAYS in shown(answer)
            await slack.presses.click(bureau.anna, answer, "share")
            words = "sees the answer now" if is_shared else "Not everyone"
            assert words in await bureau.whispered(bureau.anna, times=before + 2)
            copies = [one for one in slack.checks.by_app() if one.channel == place.id]
            assert len(copies) == is_shared


@pytest.mark.parametrize("text", [REPORT, "Mein Chef nimmt Schmiergeld von Lieferanten."])
async def test_nothing_shows_in_the_channel_that_a_report_came(bureau: Office, text: str) -> None:
    """No status, no reaction, no progress: one line to its writer alone, without titles."""
    slack = bureau.slack
    said = await slack.people.mention(bureau.anna, bureau.room, text)
    await bureau.served.quiet()
    slack.checks.no_answer(said.message)
    shows = ("assistant.threads.setStatus", "reactions.add", "chat.startStream", "chat.postMessage")
    assert slack.journal.of(*shows) == []
    (told,) = slack.checks.seen_by(bureau.anna.id)
    assert "\n" not in told.text
    assert "olicy" not in str(told.blocks)
