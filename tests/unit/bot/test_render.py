"""Replies and records at the terminal: what must be seen, what foreign text must not do."""

import io
from dataclasses import replace
from datetime import UTC, date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console, RenderableType

from bot.console.views.record_view import record_view, records_list
from bot.console.views.render import answer_view
from bot.replies.sections import section_title
from core.domain.answer import (
    Answer,
    Badge,
    Confidence,
    Outcome,
    RefusalKind,
    ShownCitation,
    ShownClaim,
)
from core.domain.audit import RecordLine, RecordView
from core.domain.ontology import SectionRef
from core.language.spans import Span, VersionId

HOSTILE = st.text(
    alphabet=st.one_of(
        st.characters(),
        st.sampled_from("\x1b\x9b\x07\x00\r\n\t\u202e\u2066\u200b\ufeff[]/:\\*`"),
    ),
    max_size=60,
) | st.sampled_from(
    [
        "[bold red]x[/]",
        "[/]",
        "[link=https://example.org]x[/link]",
        ":smile:",
        "\x1b[2J\x1b]8;;https://example.org\x07x\x1b]8;;\x07",
        "\x9b31m",
        "a" * 500,
        "漢字" * 60,
        "\ud800",
    ]
)
NO_CONFIDENCE = Confidence(reported=None, calibrated=None, badge=None, is_calibrated=False)
PLACE = SectionRef(
    policy_key="gifts",
    policy_title="Gifts Policy",
    version_label="2.0",
    jurisdiction=None,
    eid="sec_4.2",
    number="4.2",
    title="Limits",
    page=3,
)


def printed(*renderables: RenderableType, width: int = 80, colour: bool = False) -> str:
    console = Console(
        file=io.StringIO(), width=width, force_terminal=colour, no_color=not colour, markup=False
    )
    for renderable in renderables:
        console.print(renderable)
    file = console.file
    assert isinstance(file, io.StringIO)
    return file.getvalue()


def citation(number: int = 1, *, quote: str = "The limit is EUR 50.") -> ShownCitation:
    return ShownCitation(
        number=number,
        key=f"c{number}",
        span=Span(version_id=VersionId(1), char_start=0, char_end=max(1, len(quote))),
        quote=quote,
        place=PLACE,
        effective_from="2025-07-01",
    )


def answered(**changes: object) -> Answer:
    values: dict[str, object] = {
        "outcome": Outcome.ANSWERED,
        "text": "The limit is EUR 50. [1]",
        "claims": (ShownClaim(text="The limit is EUR 50.", numbers=(1,)),),
        "citations": (citation(),),
        "confidence": Confidence(
            reported=0.9, calibrated=0.9, badge=Badge.HIGH, is_calibrated=False
        ),
    }
    return Answer(**(values | changes))  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]


@st.composite
def places(draw: st.DrawFn) -> SectionRef:
    return SectionRef(
        policy_key=draw(HOSTILE),
        policy_title=draw(HOSTILE),
        version_label=draw(st.none() | HOSTILE),
        jurisdiction=draw(st.none() | HOSTILE),
        eid="x",
        number=draw(st.none() | HOSTILE),
        title=draw(HOSTILE),
        page=draw(st.none() | st.integers(1, 9)),
    )


@st.composite
def answers(draw: st.DrawFn) -> Answer:
    cited = draw(st.lists(places(), max_size=3))
    return Answer(
        outcome=draw(st.sampled_from(Outcome)),
        text=draw(HOSTILE),
        citations=tuple(
            ShownCitation(
                number=number,
                key="c1",
                span=Span(version_id=VersionId(1), char_start=0, char_end=1),
                quote=draw(HOSTILE),
                place=place,
                effective_from=draw(st.none() | HOSTILE),
            )
            for number, place in enumerate(cited, start=1)
        ),
        confidence=Confidence(
            reported=None,
            calibrated=None,
            badge=draw(st.none() | st.sampled_from(Badge)),
            is_calibrated=draw(st.booleans()),
        ),
        refusal=draw(st.none() | st.sampled_from(RefusalKind)),
        nearest=tuple(draw(st.lists(places(), max_size=2))),
        options=tuple(draw(st.lists(HOSTILE, max_size=3))),
        assumptions=tuple(draw(st.lists(HOSTILE, max_size=2))),
        notes=tuple(draw(st.lists(HOSTILE, max_size=2))),
    )


def is_harmless(output: str) -> bool:
    """True if there is nothing in it that a terminal would obey."""
    return not any(
        (char < " " and char != "\n")
        or "\x7f" <= char <= "\x9f"
        or char in "\u202e\u2066\u200b\ufeff"
        for char in output
    )


@given(answers(), st.integers(20, 120))
def test_hostile_text_neither_fails_nor_reaches_the_terminal_as_commands(
    answer: Answer, width: int
) -> None:
    """Whatever a policy holds, nothing raises, no control character is printed, no link is made."""
    output = printed(*answer_view(answer), width=width)
    assert is_harmless(output)


@given(answers())
def test_colour_comes_from_us_alone(answer: Answer) -> None:
    """At a terminal, foreign text adds no hyperlink."""
    assert "\x1b]8" not in printed(*answer_view(answer), colour=True)


def test_markup_in_a_policy_stays_text() -> None:
    """Brackets in a quote are shown as they stand."""
    output = printed(*answer_view(answered(citations=(citation(quote="[bold]EUR 50[/bold]"),))))
    assert "[bold]EUR 50[/bold]" in output


def test_an_answer_shows_badge_marks_and_sources_in_this_order() -> None:
    """Badge first, then the answer, then each source with place and quote."""
    output = printed(*answer_view(answered()))
    parts = [
        "● High confidence · not yet calibrated",
        "The limit is EUR 50. [1]",
        "Sources",
        "Gifts Policy 2.0\n",
        "§4.2 Limits, page 3\n",
        "[1] “The limit is EUR 50.”\n",
        "since 2025-07-01\n",
    ]
    found = [output.index(part) for part in parts]
    assert found == sorted(found)


def test_quotes_of_one_section_share_its_name() -> None:
    """Where several quotes stand in one section, it is named once."""
    citations = (citation(1), citation(2, quote="Cash is never accepted."))
    output = printed(*answer_view(answered(citations=citations)))
    assert output.count("§4.2 Limits") == 1
    assert "[2] “Cash is never accepted.”" in output


def test_sections_of_one_version_stand_below_its_title() -> None:
    """Title and date stand once, also where another policy is cited in between; marks stay."""
    cash = replace(PLACE, number="4.3", title="Cash", page=4)
    other = replace(PLACE, policy_key="travel", policy_title="Travel Policy", version_label="3.1")
    cited = (
        citation(1),
        replace(
            citation(2),
            place=other,
            span=Span(version_id=VersionId(2), char_start=0, char_end=1),
            effective_from=None,
        ),
        replace(citation(3, quote="No cash."), place=cash),
        citation(4, quote="Ask before."),
    )
    output = printed(*answer_view(answered(citations=cited)))
    listed = output.partition("Sources\n")[2]
    assert [line.strip() for line in listed.splitlines()] == [
        "Gifts Policy 2.0",
        "§4.2 Limits, page 3",
        "[1] “The limit is EUR 50.”",
        "[4] “Ask before.”",
        "§4.3 Cash, page 4",
        "[3] “No cash.”",
        "since 2025-07-01",
        "Travel Policy 3.1",
        "§4.2 Limits, page 3",
        "[2] “The limit is EUR 50.”",
    ]


def test_assumptions_and_notes_follow() -> None:
    """What was assumed is printed with the answer."""
    output = printed(
        *answer_view(answered(assumptions=("Germany", "employee"), notes=("By rule",)))
    )
    assert "Assumes: Germany, employee" in output
    assert "Note: By rule" in output


def test_a_clarification_numbers_its_options() -> None:
    """The missing fact is asked for with options to choose from."""
    answer = Answer(
        outcome=Outcome.CLARIFICATION,
        text="Where do you work?",
        confidence=NO_CONFIDENCE,
        options=("Germany", "United Kingdom"),
    )
    output = printed(*answer_view(answer))
    assert "1  Germany" in output
    assert "2  United Kingdom" in output


def test_a_refusal_names_the_nearest_sections_and_a_person() -> None:
    """A refusal is never bare: its words name a person, we name the sections."""
    answer = Answer(
        outcome=Outcome.REFUSED,
        text="The policies do not say. Compliance can answer this.",
        confidence=NO_CONFIDENCE,
        refusal=RefusalKind.POLICY_SILENT,
        nearest=(PLACE,),
    )
    output = printed(*answer_view(answer))
    assert "Gifts Policy 2.0, §4.2 Limits" in output
    assert "Compliance can answer this." in output


@pytest.mark.parametrize("kind", list(RefusalKind))
def test_each_refusal_has_its_words(kind: RefusalKind) -> None:
    """Each kind says why."""
    answer = Answer(outcome=Outcome.REFUSED, text="No.", confidence=NO_CONFIDENCE, refusal=kind)
    assert "✕ No answer: " in printed(*answer_view(answer))


def test_a_refusal_does_not_reveal_that_something_exists() -> None:
    """What may not be read looks like what is not there."""
    shown = {
        kind: printed(
            *answer_view(
                Answer(outcome=Outcome.REFUSED, text="No.", confidence=NO_CONFIDENCE, refusal=kind)
            )
        )
        for kind in (RefusalKind.NOT_PERMITTED, RefusalKind.POLICY_SILENT)
    }
    assert len(set(shown.values())) == 1


@pytest.mark.parametrize(
    ("number", "title", "shown"),
    [
        ("4.2", "Limits", "§4.2 Limits"),
        ("Annex A", "Forms", "Annex A Forms"),
        (None, "Purpose", "Purpose"),
        ("7", "", "§7"),
    ],
)
def test_sections_are_named_as_people_say_them(number: str | None, title: str, shown: str) -> None:
    """A number gets its sign, a word that says what it is does not."""
    place = SectionRef(
        policy_key="p",
        policy_title="P",
        version_label=None,
        jurisdiction="DE",
        eid="e",
        number=number,
        title=title,
        page=None,
    )
    assert section_title(place) == f"P (DE), {shown}"


def test_no_line_is_wider_than_the_terminal() -> None:
    """Eighty columns are kept."""
    output = printed(*answer_view(answered(text="word " * 100 + "[1]")), width=80)
    assert max(map(len, output.splitlines())) <= 80


RECORD = RecordView(
    record_id="0198c0de-0000-7000-8000-000000000000",
    at=datetime(2026, 1, 31, 12, 0, tzinfo=UTC),
    outcome="answered",
    question="What is the limit?",
    answer={
        "answer": "The limit is EUR 50. [1]",
        "claims": [{"text": "The limit is EUR 50.", "citations": [1]}],
        "citations": [
            {
                "n": 1,
                "quote": "The limit is EUR 50.",
                "title": "Gifts Policy",
                "version": "2.0",
                "section": "4.2",
                "section_title": "Limits",
                "page": 3,
                "char_start": 10,
                "char_end": 30,
            }
        ],
        "confidence": {"calibrated": 0.9, "badge": "high", "is_calibrated": False},
        "notes": ["\u201cGifts Policy\u201d was due for review by 2026-01-30."],
        "sources": [
            {
                "policy": "gifts",
                "title": "Gifts Policy",
                "file": "gifts.md",
                "url": "https://policies.example.com/gifts.md",
                "owner": "Group Compliance",
                "sensitivity": "Internal",
                "review_by": "2026-01-30",
                "verified_by": None,
            }
        ],
    },
    trace={"steps": [{"stage": "plan", "took_ms": 0.5, "detail": {"intent": "threshold"}}]},
    document={"v": 1},
    leaf_hash="ab" * 32,
    problems=(),
)


def test_a_record_shows_question_claims_quotes_steps_and_its_hash() -> None:
    """An officer sees on what grounds an answer was given, and that the record is intact."""
    output = " ".join(printed(*record_view(RECORD), width=100).split())
    for part in (
        "What is the limit?",
        "Claim 1",
        "[1] Gifts Policy 2.0, 4.2 Limits, page 3, characters 10-30",
        "“The limit is EUR 50.”",
        "confidence 0.9, badge high, not yet calibrated",
        "intact",
        "plan 0.5 ms",
        "Note: \u201cGifts Policy\u201d was due for review by 2026-01-30.",
        "Gifts Policy (gifts): owner Group Compliance \u00b7 classified Internal"
        " \u00b7 review by 2026-01-30 \u00b7 at https://policies.example.com/gifts.md",
    ):
        assert part in output


def test_a_record_that_was_tampered_with_says_so() -> None:
    """A wrong hash is named, and nothing says intact."""
    broken = RecordView(
        record_id=RECORD.record_id,
        at=RECORD.at,
        outcome=RECORD.outcome,
        question=None,
        answer=None,
        trace=None,
        document={},
        leaf_hash=RECORD.leaf_hash,
        problems=("the record's bytes do not hash to its leaf",),
    )
    output = printed(*record_view(broken))
    assert "do not hash to its leaf" in output
    assert "intact" not in output
    assert "(erased)" in output


@given(HOSTILE, HOSTILE)
def test_a_list_of_records_is_harmless(question: str, outcome: str) -> None:
    """Questions in the list are data too."""
    line = RecordLine(
        record_id="x",
        at=datetime(2026, 1, 31, tzinfo=UTC),
        outcome=outcome,
        badge=None,
        question=question,
    )
    assert is_harmless(printed(*records_list([line])))


def test_dates_are_iso() -> None:
    """The effective date is printed as it is stored."""
    assert date(2025, 7, 1).isoformat() in printed(*answer_view(answered()))


def test_a_list_is_indented_below_its_lead_in() -> None:
    """Paragraphs are parted by an empty line; a long item goes on below itself."""
    item = "minibar, pay television and whatever else is charged to the room [2]"
    answer = answered(text=f"Not paid: [1]\n\u2022 {item}\n\u2022 fines [3]\n\nAsk first. [1]")
    lines = [line.rstrip() for line in printed(*answer_view(answer), width=40).splitlines()]
    begin = lines.index("Not paid: [1]")
    assert lines[begin : begin + 7] == [
        "Not paid: [1]",
        "  \u2022 minibar, pay television and whatever",
        "    else is charged to the room [2]",
        "  \u2022 fines [3]",
        "",
        "Ask first. [1]",
        "",
    ]
