"""What a person reads of each outcome, and that nothing of it is lost unsaid."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bot.forms.evidence import EvidenceView
from bot.forms.excerpts import Around
from bot.forms.forms import SeenBy, case_answer_form, escalation_form, report_form
from bot.replies import safe_text as door
from bot.replies.answer import BY_RULES, badge_of, percent
from bot.replies.buttons import FOR_ALL
from bot.replies.context import RenderContext
from bot.slack.blocks import cases, modals, mrkdwn
from bot.slack.blocks.evidence import evidence_modal
from bot.slack.blocks.render import RICH, SHAPES, SIMPLE, TEXT_ONLY, render
from core.agent.reply import compose
from core.agent.wording import WITHOUT_MODEL
from core.domain.answer import (
    Answer,
    Badge,
    Branch,
    Confidence,
    Outcome,
    RefusalKind,
    ShownClaim,
)
from core.domain.case import CaseNews, CaseState, OfficerReply, SupersededAnswer
from core.domain.delivery import Notice, StoredReply
from core.domain.json_value import Json
from tests.factories import public_report
from tests.servers.slack.wire import is_object
from tests.unit.slack.limits import own_rules
from tests.unit.slack.payloads import (
    ASKER,
    CALIBRATED,
    LIBRARY,
    SETTING,
    answered,
    blocks_of,
    case,
    citation,
    every,
    place,
    stored,
)
from tests.unit.slack.test_payloads import check, live_in, strings


def confidence(calibrated: float, badge: Badge = Badge.MEDIUM, **more: Any) -> Confidence:
    return replace(CALIBRATED, calibrated=calibrated, badge=badge, **more)


def blocks(
    answer: Answer, shape: int = RICH, setting: RenderContext = SETTING
) -> list[dict[str, Any]]:
    shown = render(stored(answer), shape, outbox_id=17, context=setting)
    return json.loads(json.dumps(shown.blocks))


def words(answer: Answer, setting: RenderContext = SETTING) -> str:
    return render(stored(answer), TEXT_ONLY, outbox_id=17, context=setting).text


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (replace(answered("x"), notes=()), "High confidence (91%) \u00b7 AI-generated, checked"),
        (replace(answered("x"), confidence=confidence(0.6899)), "Medium confidence (68%)"),
        (replace(answered("x"), confidence=confidence(1.0, Badge.HIGH)), "High confidence (99%)"),
        (
            replace(answered("x"), confidence=confidence(0.7, features=(("passed", 0.5),))),
            "Medium confidence (70%) \u00b7 Answers part of your question \u00b7 Quoted",
        ),
        (
            replace(answered("x"), confidence=confidence(0.9, is_calibrated=False)),
            "Medium confidence \u00b7 Quoted from the policies",
        ),
        (compose.not_permitted(), "Not available here"),
        (compose.not_here(), "Not available here"),
        (compose.too_long(9), "No answer"),
        (public_report(), "Needs a person"),
        (
            replace(answered("x"), outcome=Outcome.REFUSED, refusal=RefusalKind.CONFLICT),
            "Needs a person \u00b7 The policies disagree",
        ),
    ],
)
def test_badge_lines(answer: Answer, expected: str) -> None:
    """By outcome, as the table says."""
    head = badge_of(answer)
    assert head is not None
    assert head.words.startswith(expected)


@pytest.mark.parametrize("answer", [compose.failed(), compose.greeting()])
def test_clarifications_and_failures_have_no_badge(answer: Answer) -> None:
    """They claim nothing."""
    assert badge_of(answer) is None


@pytest.mark.parametrize(
    ("calibrated", "expected"), [(0.29, 29), (0.57, 57), (0.999, 99), (1.0, 99), (0.0, 0)]
)
def test_percentages_are_rounded_down(calibrated: float, expected: int) -> None:
    """As they are written, not as binary fractions fall."""
    assert percent(calibrated) == expected


def test_the_reported_confidence_is_never_shown() -> None:
    """It is the reasoner's own."""
    answer = replace(answered("x"), confidence=confidence(0.61, reported=0.97))
    for shape in range(SHAPES):
        shown = render(stored(answer), shape, outbox_id=17, context=SETTING)
        assert not any("97" in text for text in strings([shown.text, *shown.blocks]))


def test_who_wrote_it_is_said() -> None:
    """A model, or none; and once."""
    by_rules = replace(answered("x"), notes=(WITHOUT_MODEL.en,))
    assert words(by_rules).count(BY_RULES.en) == 1
    assert "AI-generated" not in words(by_rules)
    assert WITHOUT_MODEL.en not in words(by_rules)
    assert "AI-generated" in words(replace(by_rules, notes=()))


def test_an_answer_in_order() -> None:
    """Badge, words, sources, buttons, feedback, reference; simple in the oldest blocks alone."""
    kinds = [block["type"] for block in blocks(answered("May I?"))]
    assert kinds == ["section", "rich_text", "container", "actions", "context_actions", "context"]
    kinds = [block["type"] for block in blocks(answered("May I?"), SIMPLE)]
    assert set(kinds) == {"section", "actions", "context"}
    shown = render(stored(answered("May I?")), TEXT_ONLY, outbox_id=17, context=SETTING)
    assert shown.blocks == ()
    assert shown.metadata == {
        "event_type": "answer",
        "event_payload": {
            "outbox": "17",
            "record": "01983f2a-6c1e-7d40-9b52-7f3a1c0e8d44",
            "leaf": "9f2c41d07be6a358",
        },
    }


def test_a_short_text_has_every_quote_whole() -> None:
    """With its mark, its section and its link."""
    told = words(answered("May I take it?"))
    for number in (1, 2, 3):
        assert f"[{number}]" in told
    assert told.count("\u201cMay I take it?\u201d") == 3
    assert "<https://policies.example.com/gifts#:~:text=May%20I%20take%20it%3F|" in told


def test_a_shortened_quote_says_so() -> None:
    """In the message and in its text; a quote that itself ends in dots no less."""
    quote = "word " * 900 + "\u2026"
    answer = replace(answered("x"), citations=(citation(1, quote, place("Limits")),))
    told = [text for text in strings(blocks(answer)) if "Shortened: " in text]
    (only,) = told
    assert only.endswith(
        "\nShortened: the full quote (4,501 characters) is under"
        " \u201cShow evidence\u201d.\nsince 2026-03-01 \u00b7 owner Legal"
    )
    assert "[shortened from 4,501 characters]" in words(answer)


def test_sources_beyond_five_are_named() -> None:
    """By their marks; all quotes are under the button."""
    cited = tuple(citation(n, "x", replace(place("x"), number=str(n))) for n in range(1, 13))
    answer = replace(answered("x", many=12), citations=cited)
    container = next(b for b in blocks(answer) if b["type"] == "container")
    assert container["title"]["text"] == "Sources (12)"
    assert len(container["child_blocks"]) == 10
    last = container["child_blocks"][-1]
    assert any("[6][7][8][9][10][11][12]" in text for text in strings(last))


def test_long_quotes_of_one_section_are_whole_or_say_that_they_are_not() -> None:
    """They share a block of 3,000 characters, which Slack would cut off, and say where they end."""
    cited = tuple(citation(n, f"{n} " + "gift " * 200, place("Limits")) for n in range(1, 7))
    answer = replace(answered("x", many=6), citations=cited)
    (told,) = [text for text in strings(blocks(answer)) if "[1] “1 gift" in text]
    assert len(told) < 3_000
    lines = told.splitlines()
    assert lines[0] == f"[1] “{cited[0].quote}”"
    assert lines[1].startswith("[2] “2 gift")
    assert lines[2].startswith("Shortened: ")
    under = "The quote (1,002 characters) is under “Show evidence”."
    assert lines[3:] == [*(f"[{n}] {under}" for n in range(3, 7)), "since 2026-03-01 · owner Legal"]


def test_the_evidence_has_all_of_every_quote() -> None:
    """Page by page, in order; what stands around it apart from it."""
    quote = " ".join(str(number) for number in range(20_000))
    answer = replace(answered("x"), citations=(citation(1, quote, place("Limits")),))
    around = {1: Around(before="Before. ", after=" After.")}
    bold: list[str] = []
    metadata: list[str] = []
    page = 0
    while True:
        view = evidence_modal(
            EvidenceView(answer=answer, answer_id="ans_1", around=around, page=page), LIBRARY
        )
        text = json.dumps(view)
        bold += [
            part["text"]
            for block in json.loads(text)["blocks"]
            if block["type"] == "rich_text"
            for element in block["elements"]
            if element["type"] == "rich_text_quote"
            for part in element["elements"]
            if part.get("style", {}).get("bold")
        ]
        metadata.append(str(view["private_metadata"]))
        assert len(text) < 250_000
        page += 1
        if f"evidence_page:{page}" not in text:
            break
    assert "".join(bold) == quote
    assert page > 3
    assert metadata[1] == '{"a":"ans_1","p":1}'


def test_a_clarification_has_a_button_for_each_value() -> None:
    """And one for all, if all may be asked for."""
    branch = Branch(slot="where", question="Where are you?", options=("US", "EU"))
    asked = compose.clarifying(branch)
    (row,) = (block for block in blocks(asked) if block["type"] == "actions")
    assert [one["value"] for one in row["elements"]] == ["ans_7f3|0", "ans_7f3|1", "ans_7f3|all"]
    assert row["elements"][-1]["text"]["text"] == FOR_ALL.en
    assert "1. US\n2. EU" in words(asked)
    assert "all" in words(asked)
    (simple,) = (block for block in blocks(asked, SIMPLE) if block["type"] == "actions")
    assert simple == row
    bare = blocks(replace(asked, text="Where are you?"))
    assert not any(FOR_ALL.en in text for text in strings(bare))


def test_a_report_is_not_answered_in_public() -> None:
    """A pointer, to the asker alone, without the words of the reply."""
    report = replace(public_report(), text="SECRET", nearest=(place("How to report"),))
    public = replace(SETTING, is_public=True)
    for shape in range(SHAPES):
        shown = render(stored(report), shape, outbox_id=17, context=public)
        assert shown.is_for_asker_alone
        assert report.text not in "".join(strings([shown.text, *shown.blocks]))
        assert "direct message" in shown.text
        assert not render(stored(report), shape, outbox_id=1, context=SETTING).is_for_asker_alone


def test_a_report_is_in_no_channel_of_officers() -> None:
    """Its card there has a number, and no word of it, nor who or where."""
    told = replace(case("SECRET", answered("SECRET")), is_sensitive=True)
    for is_public in (True, False):
        setting = replace(SETTING, is_public=is_public)
        shown = [cases.case_text(told, setting), *cases.case_blocks(told, setting)]
        joined = " ".join(strings(shown))
        assert "Case 214" in joined
        assert all((one in joined) is not is_public for one in ("SECRET", ASKER, "archives"))


def test_what_is_about_a_case_has_each_shape() -> None:
    """Card, officer's answer, superseded answer, news."""
    old = SupersededAnswer(answer=answered("x"), officer="A", number=1, is_elsewhere=True)
    told = OfficerReply(case_id="c", number=1, officer="A", question="q", text="SAID")
    news = CaseNews(number=1, state=CaseState.CLAIMED, officer="A")
    for reply, expected in (
        (replace(stored(None), case=case("May I?", None)), "Case 214"),
        (replace(stored(None), officer_reply=told), "SAID"),
        (replace(stored(None), superseded=old), "Superseded"),
        (replace(stored(None), superseded=replace(old, number=None)), "the policy has changed"),
        (replace(stored(None), news=news), "taken up"),
    ):
        for shape in range(SHAPES):
            shown = render(reply, shape, outbox_id=17, context=SETTING)
            assert expected in shown.text
            assert bool(shown.blocks) == (shape != TEXT_ONLY)


def test_a_case_names_nobody_unless_it_may() -> None:
    """Neither the asker nor the place."""
    told = replace(case("May I?", None), asker=None, permalink=None)
    joined = " ".join(strings([cases.case_text(told, SETTING), *cases.case_blocks(told, SETTING)]))
    assert ASKER not in joined
    assert "archives" not in joined
    elsewhere = replace(told, permalink="https://evil.com/.slack.com")
    assert "evil" not in cases.case_text(elsewhere, SETTING)


@pytest.mark.parametrize("notice", list(Notice))
def test_every_notice_has_words(notice: Notice) -> None:
    """In each shape."""
    for shape in range(SHAPES):
        shown = render(stored(None, notice=notice), shape, outbox_id=17, context=SETTING)
        assert len(shown.text) > 20


def test_only_the_asker_is_offered_to_remove() -> None:
    """Nobody, where the asker is unknown."""
    row = next(b for b in blocks(answered("x")) if b["type"] == "context_actions")
    assert row["elements"][1]["visible_to_user_ids"] == [ASKER]
    row = next(
        b for b in blocks(answered("x"), RICH, RenderContext()) if b["type"] == "context_actions"
    )
    assert len(row["elements"]) == 1


@pytest.mark.shared_data
def test_what_is_planned_is_what_is_made(shared: Path) -> None:
    """The plan's names and values: blocks, buttons, callbacks."""
    planned: dict[str, Any] = json.loads((shared / "payloads.json").read_text())
    ours = blocks(replace(answered("x"), notes=(), assumptions=()))
    assert _names(ours) == _names(planned["slack_answer_blocks"])
    view: dict[str, Json] = planned["slack_evidence_loading_modal"]
    loading = evidence_modal(EvidenceView(answer=answered("x"), answer_id="ans_7f3"), LIBRARY)
    assert loading["private_metadata"] == view["private_metadata"]
    for key, made in _made().items():
        ours = _names(made)
        for later in {("action_id", "case_right"), ("action_id", "case_partly")} & set(ours):
            del ours[ours.index(later) : ours.index(later) + 2]  # with its value
        theirs = _names(planned[key])
        if key == "slack_report_modal":  # people have other reasons than were planned
            ours, theirs = (
                [name for name in names if name[0] != "value"] for names in (ours, theirs)
            )
        assert ours == theirs, key


def _made() -> dict[str, Any]:
    reply = OfficerReply(case_id="case_214", number=214, officer="A", question="q", text="t")
    shown = case("May I?", replace(answered("x"), citations=()), CaseState.OPEN)
    shown = replace(shown, is_wrong=False, verdict=None, is_private=False)
    answering = case_answer_form("case_214", is_private=False, case=shown)
    return {
        "slack_escalate_modal": modals.form_modal(
            escalation_form("ans_7f3", seen_by=SeenBy.THREAD)
        ),
        "slack_report_modal": modals.form_modal(report_form("ans_7f3")),
        "slack_case_answer_modal": modals.form_modal(answering),
        "slack_case_blocks": cases.case_blocks(shown, SETTING),
        "slack_officer_reply_blocks": cases.officer_blocks(reply, SETTING, last="Case 1"),
    }


def _names(value: Any) -> list[tuple[str, Any]]:
    """Return every name by which something is found again, in order."""
    if isinstance(value, list):
        return [name for one in value for name in _names(one)]  # pyright: ignore
    if not is_object(value):
        return []
    keys = ("block_id", "action_id", "value", "callback_id", "private_metadata")
    found: dict[str, Any] = value
    own = [(key, found[key]) for key in keys if key in found]
    return own + [name for one in found.values() for name in _names(one)]


def test_four_rules_of_our_own() -> None:
    """Each finds its fault, also within a container."""
    divider: dict[str, Json] = {"type": "divider"}
    assert list(own_rules([divider] * 51)) == ["51 blocks, at most 50"]
    assert list(own_rules([divider] * 51, 100)) == []
    markdown: dict[str, Json] = {"type": "markdown", "text": "x" * 6_001}
    assert len(list(own_rules([markdown] * 2))) == 1
    same: dict[str, Json] = {"type": "actions", "elements": [{"action_id": "a"}] * 2}
    empty: dict[str, Json] = {"type": "rich_text", "elements": []}
    inside: dict[str, Json] = {"type": "container", "child_blocks": [same, empty]}
    assert list(own_rules([same, empty, inside])) == [
        "blocks[0]: action_id used twice",
        "blocks[1]: empty rich_text",
        "blocks[2].child_blocks[0]: action_id used twice",
        "blocks[2].child_blocks[1]: empty rich_text",
    ]


def test_without_the_door_addresses_would_be_live(monkeypatch: pytest.MonkeyPatch) -> None:
    """Which shows that the tests look."""

    def unsafe(text: str, hosts: frozenset[str]) -> str:
        return text

    monkeypatch.setattr(door, "defanged", unsafe)
    found = [one for payload in every("see https://evil.com") for one in live_in(payload).links]
    assert any("evil.com" in link for link in found)
    with pytest.raises(AssertionError):
        check(next(every("see https://evil.com")))


def test_without_escapes_mentions_would_be_live(monkeypatch: pytest.MonkeyPatch) -> None:
    """Which shows that the tests look."""

    def unsafe(text: str, *_: object) -> str:
        return text

    monkeypatch.setattr(door, "defanged", unsafe)
    monkeypatch.setattr(mrkdwn, "escaped", unsafe)
    mentions = {one for payload in every("<!channel>") for one in live_in(payload).mentions}
    assert "!channel" in mentions


def test_no_text_puts_an_icon_before_itself() -> None:
    """A policy cannot look like a badge; times and lists stay as they are."""
    spoof = ":white_check_mark: High confidence (99%)"
    assert words(answered(spoof)).count(":white_check_mark:") == 1
    assert mrkdwn.escaped("at 10:30:45, note: a:b") == "at 10:30:45, note: a:b"


def test_views_have_blocks() -> None:
    """An answer without claims has evidence too: that there is none."""
    view = evidence_modal(EvidenceView(answer=compose.failed(), answer_id="ans_1"), LIBRARY)
    assert [block["type"] for block in blocks_of(view)] == ["alert"]


LISTED = (
    "Not paid: [1]\n\u2022 minibar [2]\n\u2022 <!channel> fines [3]"
    "\n\nAsk first. [1]\n\nNo cash. [2]"
)


def test_a_list_is_drawn_as_one() -> None:
    """Paragraphs are text, items a list of rich text; nothing of an item is more than its words."""
    (body,) = [one for one in blocks(replace(answered("x"), text=LISTED)) if "body:" in _id(one)]
    first, items, last = body["elements"][:3]
    assert [one["type"] for one in (first, items, last)] == [
        "rich_text_section",
        "rich_text_list",
        "rich_text_section",
    ]
    assert first["elements"] == [{"type": "text", "text": "Not paid: [1]"}]
    assert [one["elements"] for one in items["elements"]] == [
        [{"type": "text", "text": "minibar [2]"}],
        [{"type": "text", "text": "< !channel> fines [3]"}],
    ]
    assert last["elements"] == [{"type": "text", "text": "\nAsk first. [1]\n\nNo cash. [2]"}]


def test_a_notification_begins_with_the_answer() -> None:
    """Its words come before the badge, also where all of it has to be shortened."""
    claims = (ShownClaim(text="No gifts.", numbers=(1,)), ShownClaim(text="No cash.", numbers=(1,)))
    answer = replace(answered("x"), text="No gifts. [1] No cash. [1]", claims=claims)
    assert words(answer).splitlines()[:2] == ["\u2022 No gifts. [1]", "\u2022 No cash. [1]"]
    answer = replace(answer, text="Not allowed. [1] No cash. [1]", claims=())
    assert words(answer).splitlines()[0] == "Not allowed. [1] No cash. [1]"
    assert words(answer).splitlines()[2].startswith(":white_check_mark: *High confidence")
    long = replace(answer, text=f"Not allowed. [1]\n\n{'No cash. ' * 900}")
    assert words(long).startswith("Not allowed. [1]\n\nNo cash.")
    refused = compose.refused(
        RefusalKind.NOT_FOUND, nearest=(), confidence=compose.NO_CONFIDENCE, notes=()
    )
    assert words(refused).startswith(":white_circle: *Not found")


def _id(block: dict[str, Any]) -> str:
    return str(block.get("block_id", ""))


def test_what_a_notice_is_about_is_inert() -> None:
    """A title is the document's own."""
    subject = "<!channel> *x* [a](https://evil.example) & <https://evil.example|y>"
    reply = StoredReply(notice=Notice.REVIEW_OVERDUE, subject=subject)
    for shape in range(SHAPES):
        made = render(reply, shape, outbox_id=1, context=RenderContext())
        told = made.text + str(made.blocks)
        assert "overdue for review" in told
        assert "<!channel>" not in told
        assert "https://evil.example" not in told


def test_what_changed_is_a_line_a_policy() -> None:
    """Each of them inert, and no more of them than fit."""
    lines = ["from the source house", *("<!here> *x* " + "y" * 8_000 for _ in range(50))]
    reply = StoredReply(notice=Notice.POLICIES_CHANGED, subject="\n".join(lines))
    told = render(reply, 0, outbox_id=1, context=RenderContext())
    assert told.text.startswith("What changed in the policies, from the source house\n\u2022 ")
    assert "<!here>" not in told.text
    assert 10 < len(told.text.splitlines()) < 20
