"""Reports of misconduct are recognised in English, German, French and Spanish."""

from pathlib import Path

import pytest

from core.agent.conversation.misconduct import is_confidential, is_report, may_only_tell
from core.agent.conversation.reports.recognise import is_foreign_report, tells_of_somebody
from core.domain.question import Turn
from tests.factories import make_question

MESSAGES = Path(__file__).parents[3] / "evals" / "languages"
REPORT = "My manager takes bribes from a supplier."
LEAST_RECALL = 0.95
MOST_ALARMS = 0.03


def messages(name: str, language: str, kind: str) -> list[str]:
    """Return the messages of a file: language, kind and text, parted by tabs."""
    rows = (line.split("\t") for line in (MESSAGES / name).read_text("utf-8").splitlines())
    return [text for spoken, told, text in rows if (spoken, told) == (language, kind)]


@pytest.mark.parametrize("language", ["de", "en", "es", "fr"])
@pytest.mark.parametrize("name", ["tune.tsv", "test.tsv"])
def test_reports_are_told_from_questions(name: str, language: str) -> None:
    """Few reports are missed, and fewer questions taken for one; see `docs/quality.md`."""
    reports = messages(name, language, "report")
    questions = messages(name, language, "question")
    assert len(reports) >= 60
    assert len(questions) >= 119
    found = sum(is_confidential(make_question(one)) for one in reports)
    alarms = sum(is_confidential(make_question(one)) for one in questions)
    assert found >= LEAST_RECALL * len(reports)
    assert alarms <= MOST_ALARMS * len(questions)


@pytest.mark.parametrize(
    "text",
    [
        "MEIN CHEF BELÄSTIGT MICH",
        "mein chef belaestigt mich",
        "mein chef belastigt mich",
        "Mon chef me harcele",
        "mi jefe me acosa",
        "Hi all, mein Chef belästigt mich, what can I do?",
        "Wie melde ich meinen Chef, der mich belästigt?",
    ],
)
def test_a_report_stays_one_however_it_is_typed(text: str) -> None:
    """Without accents, in capitals, in two languages."""
    assert is_report(text)


@pytest.mark.parametrize(
    "text",
    ["mein Chef", "Leiharbeiter", "ma collègue", "un proveedor", "In Deutschland.", "", "?", "ß"],
)
def test_a_word_in_reply_is_no_report(text: str) -> None:
    """What answers a question of ours tells nothing by itself."""
    assert not is_foreign_report(text)
    assert not tells_of_somebody(text)


@pytest.mark.parametrize(
    "text",
    [
        "My colleague is going on parental leave.",
        "Meine Kollegin geht in Elternzeit.",
        "Mon collègue part à la retraite.",
        "Mi compañera se va de vacaciones.",
        "im a contractor, can i have the company mail on my phone",
        "as a manager what do i sign off",
        "whats the address of our data protection officer",
        "up to what amount does the CFO sign alone",
        "my boss is on leave, can the deputy approve my trip",
        "Meine Chefin ist krank, darf ihre Vertretung unterschreiben",
    ],
)
def test_what_happens_every_day_and_what_asks_is_no_report(text: str) -> None:
    """Nobody would complain of it; or a question follows, with or without its mark."""
    assert not is_confidential(make_question(text))


@pytest.mark.parametrize(
    ("text", "only_tells"),
    [
        ("A colleague lost her badge.", True),
        ("My boss approved my trip to Lisbon.", True),
        (REPORT, False),
        ("Mein Chef nimmt Schmiergeld von einem Lieferanten.", False),
        ("What may my manager approve?", False),
    ],
)
def test_who_only_tells_of_somebody_is_not_told_that_they_report(
    text: str, only_tells: bool
) -> None:
    """It stays confidential: some of it is a report that no rule knows."""
    question = make_question(text)
    assert may_only_tell(question) is only_tells
    assert is_confidential(question) or "?" in text
    told = make_question(text, history=(Turn(question=REPORT, outcome="escalated", answer="-"),))
    assert not may_only_tell(told)


def test_what_is_told_in_reply_to_us_is_no_report() -> None:
    """Who was asked back goes on to tell of a colleague without reporting them."""
    told = "Meine Kollegin arbeitet in Wien und ist Leiharbeiterin."
    asked = Turn(
        question="Gilt das?", outcome="clarification", answer="Where?", slot="jurisdiction"
    )
    assert is_confidential(make_question(told))
    assert not is_confidential(make_question(told, history=(asked,)))


@pytest.mark.parametrize(
    "part",
    ["mein chef ", "nimmt ", "ich habe ", "mon chef que ", "¿", "a.", "ä", "weil mein ", " "],
)
def test_long_messages_are_read_in_linear_time(part: str) -> None:
    """Patterns search bounded stretches: twice the text takes about twice the steps."""
    text = (part * 8_000)[:8_000]
    assert is_foreign_report(text) in {True, False}
    assert tells_of_somebody(text) in {True, False}
