"""Which question is that of a precedent: a wrong match would be a wrong answer by Compliance."""

import time
from dataclasses import replace
from typing import Any

import pytest

from core.agent.precedents import matching
from core.domain.conversation import ContextMessage
from core.domain.question import EMPLOYMENT, JURISDICTION, Assumption, Question
from core.language.conditions import conditions_in
from core.language.question_form import question_form
from core.language.spans import Span, VersionId
from core.ports.precedents import BoundClause, Precedent, PrecedentScope, PrecedentState
from tests.factories import NOW, TODAY, make_question, make_scope

ASKED = "May I accept a gift worth EUR 50 from a supplier in Germany?"


def precedent(question: str = ASKED, *jurisdictions: str, answer: str = "Yes.") -> Precedent:
    """Return an approved precedent."""
    return Precedent(
        precedent_id="p",
        number=1,
        case_number=1,
        state=PrecedentState.APPROVED,
        question=question,
        is_askers=False,
        wordings=("Can I keep a gift?",),
        answer=answer,
        answered_by="ada",
        clauses=(
            BoundClause(
                span=Span(version_id=VersionId(1), char_start=0, char_end=4),
                quote="Text",
                policy="gifts",
                version="1",
                section="1",
            ),
        ),
        scope=PrecedentScope(jurisdictions=frozenset(jurisdictions)),
        expires_on=TODAY,
        proposed_by="ada",
        proposed_at=NOW,
        record_id="r",
        approved_at=NOW,
    )


def ask(text: str, **more: Any) -> Question:
    """Return a question as it is understood where nothing was said before it."""
    return replace(make_question(text, **more), conditions=conditions_in(text))


def is_matched(question: Question | str, *found: Precedent) -> bool:
    """Say whether a question is answered by one of these."""
    asked = ask(question) if isinstance(question, str) else question
    return matching(asked, found or (precedent(),)) is not None


@pytest.mark.parametrize(
    "words",
    [
        ASKED,
        "  may i accept a GIFT worth eur 50, from a supplier \u2013 in Germany".replace(
            " \u2013", ""
        ),
        "**May I** accept a gift worth \u201cEUR 50\u201d from a supplier in Germany?!",
        "can i keep a gift",
    ],
)
def test_the_same_words(words: str) -> None:
    """Case, spaces, quotation marks and punctuation make no other question."""
    assert is_matched(words)


@pytest.mark.parametrize(
    "words",
    [
        ASKED.replace("50", "500"),
        ASKED.replace("50", "5.0"),
        ASKED.replace("50", "-50"),
        ASKED.replace("50", "50 %"),
        ASKED.replace("EUR", "USD"),
        ASKED.replace("EUR ", "\u20ac"),
        ASKED.replace("Germany", "France"),
        ASKED.replace("supplier", "customer"),
        ASKED.replace("May I", "May I not"),
        ASKED.replace("May I", "Mayn't I"),
        ASKED.replace("May I", "Must I"),
        ASKED.replace("May I", "May an intern"),
        ASKED.replace("worth", "worth < "),
        f"{ASKED} And cash?",
        ASKED.replace(" in Germany", ""),
        "",
        "?!",
    ],
)
def test_other_words(words: str) -> None:
    """Another number, sign, currency, country, party, negation or addition is another question."""
    assert not is_matched(words or " ")


def test_capitals_that_are_a_name() -> None:
    """An abbreviation is not the small word that it would be read as."""
    asked = "May I ship samples to the US?"
    assert is_matched(asked, precedent(asked))
    assert is_matched("may i ship samples to the US", precedent(asked))
    assert not is_matched("may i ship samples to the us", precedent(asked))
    assert question_form("Share IT with it?") == "share IT with it"


def test_what_leans_on_its_thread() -> None:
    """Nothing that a thread, a message beside it or an earlier answer adds to is matched."""
    asked = ask(ASKED)
    assert is_matched(asked)
    assert not is_matched(replace(asked, standalone=f"{ASKED} For contractors?"))
    assert not is_matched(replace(asked, standalone=f"A voucher. {ASKED}", referent="A voucher."))
    chosen = ContextMessage(text="A voucher.", part="about")
    assert not is_matched(replace(asked, context=(chosen,)))
    contractor = Assumption(slot=EMPLOYMENT, value="contractors", source="thread")
    assert not is_matched(replace(asked, assumptions=(contractor,)))
    assert not is_matched("May I do that?", precedent("May I do that?"))
    assert not is_matched(replace(asked, conditions=()))


def test_the_country_of_the_asker() -> None:
    """Where a precedent is for countries, the asker's is one of them, and known."""
    only = precedent("Can I keep a gift?", "DE", "AT")

    def told(jurisdiction: str | None, *stated: str) -> bool:
        facts = tuple(
            Assumption(slot=JURISDICTION, value=value, source="thread") for value in stated
        )
        scope = make_scope(jurisdiction=jurisdiction)
        asked = ask("Can I keep a gift?", scope=scope, assumptions=facts)
        return is_matched(asked, only)

    assert told("DE")
    assert told(None, "Austria")
    assert told("DE", "Germany")
    assert not told(None)
    assert not told("FR")
    assert not told("DE", "France")
    assert not told(None, "all")
    assert not told(None, "Atlantis")


def test_reports_are_never_matched() -> None:
    """Whoever tells of misconduct gets the reply to a report."""
    report = "My manager takes bribes from a supplier. May I tell somebody?"
    assert not is_matched(report, precedent(report))


def test_several_answers() -> None:
    """Where officers answered differently, nobody chooses between them."""
    assert is_matched(ASKED, precedent(), precedent())
    assert not is_matched(ASKED, precedent(), precedent(answer="No."))


@pytest.mark.parametrize(
    "unit", ["'a", "a'", "1.", ".1", "\u0301a", "a-", "* _", "\u00bd", "A\u200bB"]
)
def test_a_form_is_linear_and_settled(unit: str) -> None:
    """Twice the text takes about twice the time, and the form of a form is itself."""
    took: list[float] = []
    for size in (40_000, 160_000):
        text = unit * (size // len(unit))
        began = time.process_time()
        form = question_form(text)
        took.append(time.process_time() - began)
        assert question_form(form) == form
    assert took[1] < 40 * max(took[0], 0.005)
