"""Published policies and codes of conduct: their own headings, right pages, right quotes."""

import asyncio
from collections.abc import Callable, Sequence
from datetime import date
from itertools import pairwise
from typing import Any

import pytest
from sqlalchemy import text

from core.adapters.postgres.engine.database import engine_for
from core.bootstrap import bootstrap
from core.config.settings import Settings
from core.domain.question import Scope
from core.ontology.graphs.conflicts import Conflict, find_conflicts
from core.ontology.graphs.graph import build_graph
from tests.databases import logins

pytestmark = pytest.mark.shared_data

HEADINGS: dict[str, tuple[tuple[str | None, str], ...]] = {
    "comp-002": (
        ("2.1", "Applicability"),
        ("4.3", "Gifts, Hospitality, Travel, and Entertainment (GHTE)"),
        ("5.1", "Third-Party Intermediary (TPI) Due Diligence Procedure"),
        ("7.3", "Non-Retaliation"),
        ("11", "VERSION HISTORY"),
    ),
    "fin-001": (
        ("5.1", "Submission and Documentation Requirements"),
        ("5.4", "Prohibited Expenses"),
        ("6.3", "Payment Processing"),
        ("Appendix A", "Approval Threshold Matrix"),
    ),
    "leg-001": (
        ("4", "DEFINITIONS"),
        ("A", "Mandatory Disclosure and Reporting Requirements"),
        ("B", "Prohibitions"),
        ("6.3", "Contract Approval Workflow for Related Parties"),
    ),
    "leg-002": (
        ("5.2", "Retention Requirements (Specific Conditions)"),
        ("6.2", "Procedure for Implementing a Legal Hold"),
        ("9.2", "Approval Thresholds"),
    ),
    "adgm-aml-rulebook": (
        ("1", "INTRODUCTION"),
        ("4.5", "Record keeping"),
        ("8.4", "Enhanced Customer Due Diligence"),
        ("12", "MONEY LAUNDERING REPORTING OFFICER"),
        ("13.2", "Frequency"),
    ),
    "boeing-conduct-guidelines": (
        (None, "Where to go for help"),
        (None, "Political contributions"),
        (None, "Corporate citizenship and communityrelations"),
    ),
    "google-code-of-conduct": (
        ("I", "Serve Our Users"),
        ("III", "Avoid Conflicts of Interest"),
        ("5", "Dog Policy"),
        ("VII", "Obey the Law"),
        ("VIII", "Conclusion"),
    ),
    "vanderbloemen-remote-work-policy": (
        (None, "OVERVIEW"),
        (None, "Eligibility"),
        (None, "Responsiveness"),
        (None, "Data Security"),
    ),
}
"""Some of each document's own headings, by policy."""

PAGES: dict[str, dict[str, int]] = {
    "boeing-conduct-guidelines": {
        "To the people of Boeing": 2,
        "How to use this booklet": 9,
        "Procurement integrity": 35,
        "Charging of work tasks": 42,
        "Political contributions": 43,
        "Environment": 45,
    },
    "google-code-of-conduct": {
        "No Retaliation": 2,
        "Dog Policy": 7,
        "Personal Investments": 8,
        "Retaining Records": 20,
        "Insider Trading Laws": 23,
    },
    "vanderbloemen-remote-work-policy": {
        "OVERVIEW": 2,
        "Eligibility": 5,
        "Productivity Measurements": 11,
        "Tech Support": 13,
    },
}
"""On which page of its file a heading stands."""

# Question, policy, section (number, or title where it has none), page, words of the quote.
ANSWERABLE: tuple[tuple[str, str, str, int | None, str], ...] = (
    (
        "How quickly do I have to submit an expense report?",
        "fin-001",
        "5.1",
        None,
        "within fifteen (15) calendar days",
    ),
    (
        "Can I get my dry cleaning reimbursed?",
        "fin-001",
        "5.4",
        None,
        "Personal expenses, including dry cleaning",
    ),
    (
        "What is a facilitating payment?",
        "comp-002",
        "3",
        None,
        "Such payments are prohibited",
    ),
    (
        "What is personally identifiable information?",
        "leg-002",
        "4",
        None,
        "Any data that can be used to identify a specific individual",
    ),
    (
        "How long must tax records be kept?",
        "leg-002",
        "5.2",
        None,
        "in no case less than ten (10) years",
    ),
    (
        "What is a material financial interest?",
        "leg-001",
        "4",
        None,
        "five percent (5%)",
    ),
    (
        "How often must AML training be provided to employees?",
        "adgm-aml-rulebook",
        "13.2.1",
        None,
        "at least annually",
    ),
    (
        "Does Google allow retaliation against people who report violations?",
        "google-code-of-conduct",
        "No Retaliation",
        2,
        "Google prohibits retaliation",
    ),
    (
        "May Googlers drink alcohol at work?",
        "google-code-of-conduct",
        "3",
        6,
        "Consumption of alcohol is not banned at our offices",
    ),
    (
        "How far in advance do I have to submit the remote work request form?",
        "vanderbloemen-remote-work-policy",
        "How does an employee receive approval to work remotely?",
        4,
        "a minimum of two weeks prior",
    ),
    (
        "May Boeing make political contributions?",
        "boeing-conduct-guidelines",
        "Political contributions",
        43,
        "prohibited from making political contributions",
    ),
)

UNANSWERABLE = (
    "How many days of parental leave do I get?",
    "Can I park my car in the company garage?",
)


@pytest.fixture(scope="module")
def sections(real_url: str) -> dict[str, list[Any]]:
    """Key, number, title, page and length of every stored section, by policy."""

    async def read() -> dict[str, list[Any]]:
        engine = engine_for(real_url, pooled=False)
        async with engine.connect() as connection:
            rows = await connection.execute(
                text(
                    "SELECT p.key, s.number, s.title, s.page, s.char_start, s.char_end,"
                    " length(v.text) AS length, v.page_starts,"
                    " substr(v.text, s.char_start + 1, s.char_end - s.char_start) AS words"
                    " FROM citebound.sections s"
                    " JOIN citebound.policy_versions v ON v.id = s.version_id"
                    " JOIN citebound.policies p ON p.id = v.policy_id ORDER BY p.key, s.ordinal"
                )
            )
            found: dict[str, list[Any]] = {}
            for row in rows:
                found.setdefault(row.key, []).append(row)
        await engine.dispose()
        return found

    return asyncio.run(read())


@pytest.fixture(scope="module")
def replies(ask: Callable[[Sequence[str]], list[dict[str, Any]]]) -> dict[str, dict[str, Any]]:
    """What came back for each question."""
    questions = [*(case[0] for case in ANSWERABLE), *UNANSWERABLE]
    return dict(zip(questions, ask(questions), strict=True))


@pytest.mark.parametrize("key", HEADINGS)
def test_a_document_has_its_own_headings(sections: dict[str, list[Any]], key: str) -> None:
    """The printed headings are sections with their numbers; together they are the whole text."""
    found = sections[key]
    assert set(HEADINGS[key]) <= {(row.number, row.title) for row in found}
    assert found[0].char_start == 0
    assert found[-1].char_end == found[-1].length
    assert all(one.char_end == two.char_start for one, two in pairwise(found))
    assert all(row.title in row.words for row in found)


@pytest.mark.parametrize("key", PAGES)
def test_a_heading_is_on_its_page(sections: dict[str, list[Any]], key: str) -> None:
    """Page numbers are those of the file."""
    pages: dict[str, set[int]] = {}
    for row in sections[key]:
        pages.setdefault(row.title, set()).add(row.page)
    assert {title: pages.get(title) for title in PAGES[key]} == {
        title: {page} for title, page in PAGES[key].items()
    }


@pytest.mark.parametrize("case", ANSWERABLE, ids=lambda case: case[0])
def test_a_plain_question_is_answered_with_the_right_quote(
    replies: dict[str, dict[str, Any]], case: tuple[str, str, str, int | None, str]
) -> None:
    """The quote that holds the answer is shown, with its policy, section and page.

    As an answer, or as the closest passage where it is not sure enough.
    """
    question, policy, section, page, words = case
    reply = replies[question]
    assert reply["outcome"] == "answered" or reply["trace"]["calibrated_confidence"] is not None
    citation = next(item for item in reply["citations"] if words in item["quote"])
    assert citation["policy"] == policy
    assert (citation["section"] or citation["section_title"]) == section
    assert citation["page"] == page


@pytest.mark.parametrize("question", UNANSWERABLE)
def test_what_the_documents_do_not_say_is_refused(
    replies: dict[str, dict[str, Any]], question: str
) -> None:
    """A question that no document answers is not answered: at most the closest passage is shown."""
    reply = replies[question]
    assert (reply["outcome"], reply["refused"]) == ("refused", True)
    assert not reply["citations"] or reply["answer"].startswith("This is the closest passage")


def test_every_shown_quote_is_the_stored_text(
    real_url: str, replies: dict[str, dict[str, Any]]
) -> None:
    """What is quoted stands, letter for letter, at the cited place."""

    async def stored(citations: Sequence[dict[str, Any]]) -> list[str | None]:
        engine = engine_for(real_url, pooled=False)
        query = text(
            "SELECT substr(text, CAST(:start AS int) + 1, CAST(:end AS int) - CAST(:start AS int))"
            " FROM citebound.policy_versions WHERE id = :id"
        )
        async with engine.connect() as connection:
            quotes = [
                await connection.scalar(
                    query,
                    {"start": c["char_start"], "end": c["char_end"], "id": c["version_id"]},
                )
                for c in citations
            ]
        await engine.dispose()
        return quotes

    shown = [citation for reply in replies.values() for citation in reply["citations"]]
    assert len(shown) >= len(ANSWERABLE)
    assert asyncio.run(stored(shown)) == [citation["quote"] for citation in shown]


def test_no_false_conflict_among_published_policies(real_url: str) -> None:
    """They were not written to contradict each other, and none of them does."""

    async def found() -> tuple[Conflict, ...]:
        async with bootstrap(Settings(**logins(real_url))) as service:
            newest = await service.corpus.current_edition()
            scope = Scope(as_of=date(2026, 11, 22), edition=newest)
            return find_conflicts(build_graph(await service.ontology.snapshot(scope)))

    assert asyncio.run(found()) == ()
