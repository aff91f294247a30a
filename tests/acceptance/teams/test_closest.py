"""Under a closest passage: who says that it answers, who asks Compliance, what is kept of it."""

import json
from collections.abc import AsyncIterator

import pytest

from tests.acceptance.teams.office import Office, office, pressable
from tests.acceptance.teams.test_pressing import (
    NOT_READABLE,
    QUESTION,
    dialog,
    fetch,
    id_of,
    shown,
)
from tests.factories import never_sure
from tests.servers.teams import FakeTeams, Message, Person
from tests.servers.teams.openid import OpenId
from tests.unit.teams.reading import words_of

LABELS = "SELECT is_asker, answers, counts FROM citebound.passage_labels ORDER BY at"


@pytest.fixture
async def bureau(
    teams: FakeTeams, microsoft: OpenId, policies_database: str, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Office]:
    """The product, with officers, where nothing is ever sure enough to stand as an answer."""
    never_sure(monkeypatch)
    async with office(teams, microsoft, policies_database) as running:
        yield running


async def press(bureau: Office, person: Person, answer: Message) -> str:
    """Press [This answers it]; return what that person alone is told."""
    told = await bureau.teams.people.execute(person, answer, "answers", {"a": id_of(answer)})
    assert told.status == 200
    return str(told.answer["value"])


async def labels(bureau: Office) -> list[tuple[object, ...]]:
    """Return of each press whether the asker pressed, what it says, and whether it counts."""
    return [tuple(row.values()) for row in await bureau.served.rows(LABELS)]


async def test_a_closest_passage_is_quoted_and_opens_no_case(bureau: Office) -> None:
    """Named as what it is, with its place and two ways on; its citations are Teams' own too."""
    answer = await bureau.answered()
    told = words_of(answer.text)
    assert "Closest passage" in told
    assert "It may not answer you" in told
    assert "Gifts and Hospitality Policy" in told
    assert "confidence" not in told
    assert pressable(answer) == ["answers", "escalate", "evidence"]
    assert answer.citations
    assert (bureau.cards(), await bureau.cases()) == ([], [])
    evidence = dialog(await fetch(bureau.teams, bureau.ben, answer, "evidence", id_of(answer)))
    assert "It may not answer the question" in evidence
    bureau.teams.checks.nothing_refused()


async def test_a_press_is_a_label_and_changes_nothing_for_others(bureau: Office) -> None:
    """Of the asker, once more of the asker, of a colleague; not of who can't read it."""
    answer = await bureau.answered()
    before = shown(answer)
    assert "answers your question" in await press(bureau, bureau.anna, answer)
    assert "already told me" in await press(bureau, bureau.anna, answer)
    assert "Nothing changes for the person who asked" in await press(bureau, bureau.ben, answer)
    assert await press(bureau, bureau.oskar, answer) == NOT_READABLE
    await bureau.served.quiet()
    assert shown(answer) == before
    assert await labels(bureau) == [(True, True, False), (True, True, True), (False, True, True)]
    assert (bureau.cards(), await bureau.cases()) == ([], [])
    (kept,) = await bureau.served.rows(
        "SELECT question, passage FROM citebound.passage_labels WHERE counts AND is_asker"
    )
    assert kept["question"] == QUESTION
    assert json.dumps(kept["passage"]).count("char_start") == len(answer.citations)


async def test_an_older_client_sends_a_message_instead(bureau: Office) -> None:
    """The same label, and a line for who pressed alone."""
    answer = await bureau.answered()
    (action, *_) = answer.cards[0]["actions"]
    data = action["fallback"]["data"]
    assert data.items() >= {"do": "answers", "a": id_of(answer)}.items()
    await bureau.teams.people.submit(bureau.anna, answer, data)
    await bureau.served.quiet()
    assert await labels(bureau) == [(True, True, True)]


async def test_a_case_opens_on_a_press_alone(bureau: Office) -> None:
    """Of who asked; the officer's answer supersedes the passage, and a late press is told so."""
    answer = await bureau.answered()
    stale = answer.activity
    await bureau.sent(answer)
    assert await labels(bureau) == [(True, False, True)]
    (card,) = bureau.cards()
    assert "Closest passage" in shown(card)
    assert "Case 1 is open" in await press(bureau, bureau.anna, answer)
    assert [one[-1] for one in await labels(bureau)] == [False, True]
    await bureau.answer(bureau.olga, card, "No more than EUR 35.")
    assert "answers" not in pressable(answer)
    answer.activity = stale
    assert "already been settled" in await press(bureau, bureau.anna, answer)
    assert len(await labels(bureau)) == 2


async def test_only_a_closest_passage_can_be_said_to_answer(
    teams: FakeTeams, microsoft: OpenId, policies_database: str
) -> None:
    """Forged under an answer, or of nothing: answered, and nothing is kept."""
    async with office(teams, microsoft, policies_database) as bureau:
        answer = await bureau.answered()
        assert "answers" not in pressable(answer)
        assert "no longer available" in await press(bureau, bureau.anna, answer)
        for value in ("0198c0de-0000-7000-8000-000000000000", "x" * 300, ""):
            told = await teams.people.execute(bureau.anna, answer, "answers", {"a": value})
            assert told.status == 200
        assert await bureau.served.rows("SELECT 1 FROM citebound.feedback") == []
