"""The figures of answers on documents of other people, and what counts as the right quote."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from core.domain.answer import Answer, Badge, Outcome, RefusalKind
from core.domain.errors import UsageError
from core.measuring.documents import (
    AskedQuestion,
    DocumentQuestion,
    DocumentsReport,
    Ending,
    asked_of,
    documents_json,
    documents_lines,
    ending_of,
    has_gold,
    load_document_questions,
    spread,
    without_answer,
)
from tests.factories import NO_CONFIDENCE, shown_citations

RULE = "Every visitor **must** wear a [badge](https://example.org/badge) from the front desk."


def question(*gold: str, document: str = "a.md", name: str = "1") -> DocumentQuestion:
    return DocumentQuestion(
        id=name, document=document, question="?", is_answerable=bool(gold), gold=gold
    )


def answer(
    outcome: Outcome, *quotes: str, badge: Badge | None = None, refusal: str | None = None
) -> Answer:
    return Answer(
        outcome=outcome,
        text="shown",
        citations=shown_citations(*quotes),
        confidence=replace(NO_CONFIDENCE, badge=badge),
        refusal=refusal,  # pyright: ignore[reportArgumentType]  # a kind that may still come
    )


@pytest.mark.parametrize(
    ("gold", "quotes"),
    [
        (RULE, ["Every visitor must wear a badge from\n  the front desk."]),
        (RULE, ["Welcome. Every visitor must wear a badge from the front desk. Sign in."]),
        (RULE, ["must wear a badge from the front desk"]),
        ("- Return the key within 3 days.", ["* Return the key within 3 days."]),
        ("2. Return the key.", ["Return the key."]),
        ("| Key | 3 days |", ["|Key|3 days|"]),
        ("Return the key\u2019s ring.", ["Return the key's ring."]),
        (
            "Keep the docu-\nments of a \ufb01le for later.",
            ["Keep the documents of a file for later."],
        ),
        ("See <https://example.org/key>.", ["See https://example.org/key."]),
        (
            "Return the key to the front desk. Tell the guard about it before you leave.",
            ["Return the key to the front desk.", "Tell the guard about it before you leave."],
        ),
        (
            "The key is returned to the front desk, and nobody keeps it.",
            ["Sign out. The key is returned to the front desk", "and nobody keeps it."],
        ),
    ],
)
def test_a_quote_is_right_whatever_its_markup_and_its_cut(gold: str, quotes: list[str]) -> None:
    """Markup, line breaks, list markers and the cut between sentences do not count."""
    assert has_gold(quotes, [gold])


@pytest.mark.parametrize(
    ("gold", "quotes"),
    [
        (RULE, []),
        (RULE, [""]),
        (RULE, ["visitor"]),
        (RULE, ["Every visitor may leave the badge at home on Fridays and in summer."]),
        (
            "Requests of level 1 are answered by the desk within 24 hours.",
            ["Requests of level 2 are answered by the desk within 48 hours."],
        ),
        ("Return the key.", ["Return the keyboard."]),
        ("Nobody keeps it over night.", ["Nobody keeps it", "over the week"]),
    ],
)
def test_another_quote_is_wrong(gold: str, quotes: list[str]) -> None:
    """A word, another figure or a sentence that begins alike is no right quote."""
    assert not has_gold(quotes, [gold])


def test_any_gold_sentence_will_do() -> None:
    """One of the sentences that answer is enough."""
    assert has_gold(["Return the key."], ["Lock the door.", "Return the key."])


def test_no_gold_is_never_quoted() -> None:
    """What no document answers has no right quote."""
    assert not has_gold(["Return the key."], [])


def test_the_time_of_a_comparison_grows_with_its_text_alone() -> None:
    """A quote of a whole document is compared as any other."""
    assert not has_gold(["ab" * 100_000], ["ba c" * 100])


@pytest.mark.parametrize(
    ("given", "ending"),
    [
        (answer(Outcome.ANSWERED, "Return the key."), Ending.RIGHT),
        (answer(Outcome.ANSWERED, "Lock the door."), Ending.WRONG),
        (answer(Outcome.REFUSED, "Return the key.", refusal="not_sure"), Ending.CLOSEST_RIGHT),
        (answer(Outcome.REFUSED, "Lock the door.", refusal="not_sure"), Ending.CLOSEST_OTHER),
        (answer(Outcome.REFUSED, refusal=RefusalKind.NOT_FOUND), Ending.DECLINED),
        (answer(Outcome.REFUSED, "Return the key.", refusal="conflict"), Ending.DECLINED),
        (answer(Outcome.CLARIFICATION), Ending.DECLINED),
        (answer(Outcome.ESCALATED), Ending.DECLINED),
        (answer(Outcome.FAILED), Ending.FAILED),
    ],
)
def test_an_ending_follows_from_outcome_and_quote(given: Answer, ending: Ending) -> None:
    """An answer is right by its quote; a refusal shows the closest passage or nothing."""
    assert ending_of(question("Return the key."), given) is ending


def asked(one: DocumentQuestion, given: Answer, *, took_ms: float = 10.0) -> AskedQuestion:
    return asked_of(one, given, took_ms=took_ms)


REPORT = DocumentsReport(
    asked=(
        asked(question("Yes."), answer(Outcome.ANSWERED, "Yes.", badge=Badge.HIGH)),
        asked(question("Yes."), answer(Outcome.ANSWERED, "No.", badge=Badge.MEDIUM)),
        asked(question("Yes."), answer(Outcome.REFUSED, "Yes.", refusal="not_sure")),
        asked(question("Yes."), answer(Outcome.REFUSED, "No.", refusal="not_sure")),
        asked(question("Yes."), answer(Outcome.REFUSED, refusal="not_found")),
        asked(question(document="b.md"), answer(Outcome.REFUSED, "No.", refusal="not_sure")),
        asked(question(document="b.md"), answer(Outcome.CLARIFICATION), took_ms=30.0),
        asked(question(document="b.md"), answer(Outcome.ANSWERED, "No.", badge=Badge.MEDIUM)),
        without_answer(question("Yes.", document="c.pdf"), reason="it is encrypted"),
        without_answer(question(document="c.pdf"), reason="it is encrypted"),
    )
)


def test_the_counts_are_those_of_the_results() -> None:
    """Right, wrong, closest and declined are counted apart; a failure is neither."""
    counts = REPORT.counts()
    assert (counts.answerable, counts.right, counts.wrong) == (6, 1, 1)
    assert (counts.closest_right, counts.closest_other, counts.found) == (1, 1, 2)
    assert (counts.unanswerable, counts.declined) == (4, 2)
    assert REPORT.counts("b.md").unanswerable == 3
    assert REPORT.badges() == {"high": (1, 1), "medium": (0, 2), "low": (0, 0)}
    assert (REPORT.latency_ms(0.5), REPORT.latency_ms(0.95)) == (10.0, 30.0)


def test_the_report_names_every_figure() -> None:
    """People and programs get the same figures."""
    lines = "\n".join(documents_lines(REPORT))
    for part in ("1 of 6 (16.7%)", "2 of 6 (33.3%)", "2 of 4 (50.0%) declined", "medium 0 of 2"):
        assert part in lines
    said = json.loads(json.dumps(documents_json(REPORT)))
    assert (said["right"], said["right_or_closest"], said["declined"]) == (1, 2, 2)
    assert [one["ending"] for one in said["questions"]][:3] == [
        "answered right",
        "answered wrong",
        "closest passage right",
    ]
    assert said["questions"][8]["text"] == "it is encrypted"


def test_a_limit_asks_all_over_the_file() -> None:
    """The same questions each time, from its beginning to its end."""
    questions = [question(name=str(number)) for number in range(10)]
    assert [one.id for one in spread(questions, 3)] == ["0", "3", "6"]
    assert spread(questions, None) == spread(questions, 11) == questions


def test_a_question_set_is_read_as_it_is(tmp_path: Path) -> None:
    """An id that is missing is the line's number."""
    path = tmp_path / "q.jsonl"
    line: dict[str, object] = {
        "document": "a.md",
        "question": "?",
        "expected_outcome": "refused",
        "gold_quotes": [],
    }
    path.write_text(f"\n{json.dumps(line)}\n")
    assert load_document_questions(path) == [question(name="2")]


@pytest.mark.parametrize(
    "wrong",
    [
        {"expected_outcome": "maybe"},
        {"gold_quotes": []},
        {"expected_outcome": "refused"},
        {"gold_quotes": ["***"]},
        {"gold_quotes": [1]},
        {"gold_quotes": 5},
        {"document": None},
        {"question": 7},
    ],
)
def test_a_line_that_is_none_is_named(tmp_path: Path, wrong: dict[str, object]) -> None:
    """A mistake in a label would count as a mistake of the product."""
    good = {"document": "a", "question": "?", "expected_outcome": "answered", "gold_quotes": ["a"]}
    path = tmp_path / "q.jsonl"
    path.write_text(json.dumps(good) + "\n" + json.dumps(good | wrong))
    with pytest.raises(UsageError, match=r"q\.jsonl:2: not a question of a document"):
        load_document_questions(path)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    """The path and the cause are said."""
    with pytest.raises(UsageError, match="No such file"):
        load_document_questions(tmp_path / "none.jsonl")
