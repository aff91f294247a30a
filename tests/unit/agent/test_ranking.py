"""Which sentences answer: what is read, what is quoted together, how likely it answers."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.agent.evidence_text import passages_of
from core.agent.extractive.questions import SubQuestion
from core.agent.extractive.quoting import NEAR_ROW, NEARLY, QUOTED, expand, quoted_of
from core.agent.extractive.ranking import (
    ANSWERS,
    IN_CONTEXT,
    AnswerFit,
    ScoredSentence,
    by_section,
    measures_of,
    rank,
)
from core.agent.planning.intent import Facets, Intent
from core.domain.evidence import EvidenceItem
from core.domain.run import Term
from tests.factories import make_item, make_place

RED = "Red badges open the archive."
BLUE = "Blue tokens admit visitors on weekdays."
GREEN = "Green passes expire after one shift."
GREY = "Grey cards are for the canteen alone."
HOTELS = make_item("City | Limit\nLondon | GBP 190\nRome | EUR 160\n", place=make_place("Hotels"))
BADGES = make_item(f"{RED} {BLUE}\n\n{GREEN} {GREY}", place=make_place("Badges"))


class TableReader:
    """Scores a text by the phrase that it holds; 0 where none is known."""

    name = "table"

    def __init__(self, scores: Mapping[str, float]) -> None:
        self._scores = scores
        self.read: list[str] = []

    async def scores(self, question: str, texts: Sequence[str], /) -> list[float]:
        """See `Reader.scores`."""
        self.read += texts
        return [
            max((value for phrase, value in self._scores.items() if phrase in text), default=0.0)
            for text in texts
        ]


def wanted(
    text: str = "Who may enter?", *, employments: frozenset[str] = frozenset()
) -> SubQuestion:
    return SubQuestion(
        text=text,
        terms=(Term(word="archiv", weight=1.0, surface="archive"),),
        intents=(Intent.GENERAL,),
        facets=Facets(employments=employments),
    )


async def ranked(reader: TableReader | None, *items: EvidenceItem) -> list[ScoredSentence]:
    return await rank(passages_of(items), wanted(), reader=reader)


def texts(found: Sequence[ScoredSentence]) -> list[str]:
    return [one.unit.text for one in found]


async def test_the_reader_decides_what_is_best() -> None:
    """A sentence without a word of the question goes before one that has them all."""
    found = await ranked(TableReader({BLUE: 5.0, GREEN: 2.0}), BADGES)
    assert texts(found)[:2] == [BLUE, GREEN]
    assert texts(await ranked(None, BADGES))[0] == RED


async def test_no_more_is_read_than_is_allowed() -> None:
    """What reading costs does not grow with the evidence; the likeliest sentences are read."""
    reader = TableReader({})
    found = await rank(passages_of([BADGES]), wanted(), reader=reader, most=2)
    assert len(found) == 2
    assert RED in texts(found)
    assert len(reader.read) <= 2 + IN_CONTEXT


async def test_an_item_is_read_with_its_lead_in() -> None:
    """ "- cash;" alone answers nothing: it is read under what introduces it."""
    reader = TableReader({})
    item = make_item("You must not accept:\n- cash;\n- loans.\n", place=make_place("Gifts"))
    await ranked(reader, item)
    assert any(text.endswith("You must not accept: - cash;") for text in reader.read)


async def test_a_row_is_read_as_a_sentence() -> None:
    """A reader of sentences knows no tables: "Rome | EUR 160" means little to it."""
    reader = TableReader({})
    await ranked(reader, HOTELS)
    alone = [text for text in reader.read if "Rome" in text and "London" not in text]
    assert [text.endswith(": Rome: limit EUR 160.") for text in alone] == [True]
    assert not any("|" in text for text in reader.read)


@pytest.mark.parametrize(("behind", "quoted"), [(NEAR_ROW / 2, 2), (NEAR_ROW * 2, 1)])
async def test_of_a_table_only_rows_that_answer_as_well_are_quoted(
    behind: float, quoted: int
) -> None:
    """The others tell of other things, near as they are."""
    rows = "Case | Duty\nLost badge | tell the gate guard\nBroken lock | call a local smith\n"
    reader = TableReader({"Lost badge": 5.0, "Broken lock": 5.0 - behind})
    found = await ranked(reader, make_item(rows, place=make_place("Keys")))
    assert found[1].strength > found[0].strength - NEARLY
    assert len(quoted_of(found, wanted())) == quoted


async def test_whoever_the_question_is_about_is_named_first() -> None:
    """A rule for public officials goes before one that answers better and names nobody."""
    officials = "Nothing may be given to a public official."
    item = make_item(f"{BLUE} {officials}", place=make_place("Gifts"))
    scores = {BLUE: 5.0, officials: 1.0}
    passages = passages_of([item])
    plain = await rank(passages, wanted(), reader=TableReader(scores))
    about = replace(wanted(), bound=frozenset({"public official"}))
    bound = await rank(passages, about, reader=TableReader(scores))
    assert (texts(plain)[0], texts(bound)[0]) == (BLUE, officials)


async def test_a_plain_prohibition_goes_before_an_exception() -> None:
    """Where it is asked whether one may: an exception that is read first is a permission."""
    snack = "A snack may be offered to a public official."
    never = "Staff must not give any gift to a public official."
    unless = "Meals must not be offered to a public official unless a manager approves."
    passages = passages_of([make_item(f"{snack} {unless} {never}", place=make_place("Gifts"))])
    reader = TableReader({snack: 2.0, unless: 1.9, never: 1.8})
    about = replace(wanted(), bound=frozenset({"public official"}))
    assert texts(await rank(passages, about, reader=reader)) == [snack, unless, never]
    asked = replace(about, intents=(Intent.PERMISSION,))
    assert texts(await rank(passages, asked, reader=reader)) == [never, snack, unless]


async def test_an_item_that_names_the_exchanged_thing_goes_before_its_like() -> None:
    """A lead-in that names the thing stands above the items of other things, too."""
    plans = make_item("Phone and internet are paid:\n- Handset: EUR 20\n- Internet: EUR 30")
    reader = TableReader({"Handset: EUR 20": 4.0, "Internet: EUR 30": 3.0})
    asked = replace(wanted(), thing=frozenset({"internet"}))
    for question, first in ((wanted(), "Handset"), (asked, "Internet")):
        found = await rank(passages_of([plans]), question, reader=reader)
        assert found[0].unit.text.startswith(f"- {first}")


async def test_sentences_that_answer_nearly_as_well_are_quoted_together() -> None:
    """The best first, not those far behind, and no more than a few."""
    scores = {BLUE: 5.0, GREEN: 5.0 - NEARLY / 4, GREY: 5.0 - 4 * NEARLY}
    found = await ranked(TableReader(scores), BADGES)
    assert texts(quoted_of(found, wanted())) == [BLUE, GREEN]
    alike = await ranked(TableReader(dict.fromkeys((RED, BLUE, GREEN, GREY), 3.0)), BADGES)
    assert len(quoted_of(alike, wanted())) == QUOTED


@pytest.mark.parametrize(
    ("text", "quoted"),
    [
        ("This holds for the cellar too.", True),
        ("In such cases call the gate.", True),
        ("This policy has an owner.", False),
        ("Lifts stop at nine.", False),
    ],
)
async def test_a_sentence_is_quoted_with_the_one_that_it_leans_on(
    text: str, *, quoted: bool
) -> None:
    """ "This prohibition ..." says nothing without it; a long section is not quoted whole."""
    others = " ".join(f"Room {number} has a door of its own with a lock." for number in range(12))
    item = make_item(f"{others} {RED} {text} {others}", place=make_place("Badges"))
    found = await ranked(TableReader({text: 5.0}), item)
    assert found[0].unit.text == text
    said = [unit.text for unit in expand(found[0], wanted())]
    assert said == ([RED, text] if quoted else [text])


async def test_no_rule_is_quoted_twice() -> None:
    """Two policies that say the same are quoted once."""
    again = make_item(RED, key="c2", version=2, place=make_place("Doors", policy="doors"))
    found = await ranked(TableReader({RED: 4.0}), BADGES, again)
    assert texts(quoted_of(found, wanted())) == [RED]


async def test_a_rule_for_others_is_not_quoted_beside() -> None:
    """What holds for contractors is not told beside a rule for everybody."""
    hired = "Contractors carry a yellow badge."
    item = make_item(f"{RED} {hired}", place=make_place("Badges"))
    found = await ranked(TableReader({RED: 4.0, hired: 3.9}), item)
    assert texts(quoted_of(found, wanted())) == [RED]
    asked = wanted(employments=frozenset({"contractor"}))
    assert set(texts(quoted_of(found, asked))) == {RED, hired}


async def test_a_lead_makes_an_answer_likelier() -> None:
    """The same sentence answers less surely where another one is as good."""
    alone = await ranked(TableReader({BLUE: 4.0, RED: -6.0, GREEN: -6.0, GREY: -6.0}), BADGES)
    rivals = await ranked(TableReader({BLUE: 4.0, RED: 3.9, GREEN: 3.9, GREY: 3.9}), BADGES)
    sure, unsure = (
        ANSWERS.probability(measures_of(found, [one for one in found if one.unit.text == BLUE]))
        for found in (alone, rivals)
    )
    assert sure > unsure


@given(st.floats(-50, 50), st.floats(-50, 50))
async def test_measures_are_shares(one: float, other: float) -> None:
    """Whatever a reader says, each measure and the probability lie in [0, 1]."""
    found = await ranked(TableReader({BLUE: one, RED: other}), BADGES)
    measured = measures_of(found, found[:1])
    assert all(0 <= value <= 1 for value in measured.values())
    assert 0 <= ANSWERS.probability(measured) <= 1


def test_what_is_no_number_answers_nothing() -> None:
    """A reader that breaks never makes an answer sure."""
    fit = AnswerFit(intercept=9.0, weights={"sentence": 1.0})
    assert fit.probability({"sentence": math.nan}) == 0.0


async def test_a_section_is_counted_by_its_best_sentence() -> None:
    """Branches and conflicts compare sections."""
    other = make_item(GREY, key="c2", version=2, place=make_place("Food", policy="food"))
    first = make_item(f"{RED} {BLUE}", place=make_place("Badges"))
    found = by_section(await ranked(TableReader({BLUE: 5.0, RED: 4.0, GREY: 3.0}), first, other))
    assert texts(found) == [BLUE, GREY]


@pytest.mark.parametrize("reader", [None, TableReader({})])
async def test_no_evidence_ranks_nothing(reader: TableReader | None) -> None:
    """Without a sentence there is nothing to quote."""
    assert await rank([], wanted(), reader=reader) == []
