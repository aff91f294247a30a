"""Claims to words: paragraphs, lists with their lead-in once, and what is left out or open."""

from dataclasses import replace

import pytest

from bot.forms.evidence import EvidenceView, QuotePart, page_of
from bot.forms.excerpts import Around
from bot.replies.context import Library
from core.agent.reply.answer_json import answer_json, answer_of
from core.agent.reply.prose import ListLength, arranged, listed_in, prose
from core.agent.reply.release import unanswered
from core.agent.reply.text_blocks import ListBlock, Paragraph, blocks
from core.domain.answer import Citation, Claim, Draft, Outcome
from core.domain.evidence import Evidence
from core.language.phrasing import item_sentence, row_sentence, sentence
from core.language.spans import Span, VersionId
from tests.factories import make_judgement
from tests.fakes import Policy, ScriptedReasoner
from tests.unit.agent.world import make_world, quoted

LEAD_IN = "The following are not reimbursed:"
HEADER = "City | Hotel, GBP per night"


def _cited(quote: str, start: int, version: int = 1) -> Citation:
    span = Span(version_id=VersionId(version), char_start=start, char_end=start + len(quote))
    return Citation(key="c1", span=span, quote=quote)


def _plain(text: str, start: int, version: int = 1) -> Claim:
    return Claim(text=sentence(text), citations=(_cited(text, start, version),))


def _item(item: str, start: int) -> Claim:
    return Claim(
        text=item_sentence(LEAD_IN, item), citations=(_cited(LEAD_IN, 0), _cited(item, start))
    )


def _row(row: str, start: int) -> Claim:
    return Claim(text=row_sentence(HEADER, row), citations=(_cited(HEADER, 0), _cited(row, start)))


def _written(*claims: Claim, lists: dict[Span, ListLength] | None = None, title: str = "") -> str:
    said = arranged(claims)
    spans = dict.fromkeys(c.span for claim in said for c in claim.citations)
    numbers = {span: number for number, span in enumerate(spans, start=1)}
    return prose(said, numbers=numbers, lists=lists, titles=dict.fromkeys(spans, title))


def test_claims_of_one_policy_are_a_paragraph() -> None:
    """Each keeps its mark; another policy, and what is too long, begins a new one."""
    first, second = _plain("Cash is refused", 0), _plain("- Gifts are registered;", 50)
    other = _plain("Travel is booked early.", 0, version=2)
    assert _written(first, second, other) == (
        "Cash is refused. [1] Gifts are registered. [2]\n\nTravel is booked early. [3]"
    )
    long = _plain(f"A rule {'is long and ' * 40}ends.", 100)
    assert _written(first, long).count("\n\n") == 1


def test_a_list_has_its_lead_in_once() -> None:
    """Its items come together in the order of the policy, wherever they were drafted."""
    fines, minibar = _item("(b) fines; and", 80), _item("(a) minibar;", 60)
    alone = _plain("Ask your manager.", 300)
    assert _written(fines, alone, minibar) == (
        f"{LEAD_IN} [1]\n\u2022 minibar [2]\n\u2022 fines [3]\n\nAsk your manager. [4]"
    )


def test_one_item_is_a_sentence() -> None:
    """It is never shown without what introduces it."""
    assert _written(_item("- minibar;", 60)) == f"{LEAD_IN} minibar. [1][2]"


def test_rows_are_sentences() -> None:
    """One stands alone, several are a list; no rule of the table is left."""
    london, paris = _row("London | 190", 40), _row("Paris | 170", 60)
    assert _written(london) == "London: hotel GBP 190 per night. [1][2]"
    assert _written(london, paris) == (
        "\u2022 London: hotel GBP 190 per night [1][2]\n"
        "\u2022 Paris: hotel GBP 170 per night [1][3]"
    )
    assert _written(london, title="Hotel limits").startswith("Hotel limits \u2013 London: hotel")
    assert _written(london, paris, title="Hotel limits").splitlines()[:2] == [
        "Hotel limits: [1]",
        "\u2022 London: hotel GBP 190 per night [2]",
    ]


def test_a_part_of_a_list_is_not_taken_for_the_whole() -> None:
    """How many the policy lists stands beside what introduces them, unless all are quoted."""
    minibar, fines = _item("- minibar;", 60), _item("- fines.", 80)
    lead_in = minibar.citations[0].span
    said = "The following are not reimbursed"
    assert _written(minibar, lists={lead_in: ListLength(count=3)}).startswith(
        f"{said} (1 of 3 listed):"
    )
    assert _written(minibar, fines, lists={lead_in: ListLength(count=2)}).startswith(
        f"{LEAD_IN} [1]"
    )
    more = {lead_in: ListLength(count=2, is_all=False)}
    assert _written(minibar, fines, lists=more).startswith(f"{said} (2 of more than 2 listed): [1]")


def _under(*quotes: str, start: int) -> Claim:
    """Return an item, the last quote, under what introduces it."""
    above = [_cited(quote, 1_000 * number) for number, quote in enumerate(quotes[:-1])]
    return Claim(text=item_sentence(*quotes), citations=(*above, _cited(quotes[-1], start)))


def test_items_under_a_chain_or_a_heading_are_a_list() -> None:
    """All that introduces them is said once, and no number or heading as if it were a sentence."""
    chain = ("Nobody is paid for:", "(b) fines:")
    parking, speed = (
        _under(*chain, "i. parking;", start=9_000),
        _under(*chain, "i. speed.", start=9_100),
    )
    assert _written(speed, parking) == (
        "Nobody is paid for: fines: [1][2]\n\u2022 parking [3]\n\u2022 speed [4]"
    )
    assert _written(_under("5.4. Personal Costs", "- Spa visits are never paid.", start=9_000)) == (
        "Personal Costs: Spa visits are never paid. [1][2]"
    )


def test_an_item_that_is_a_rule_is_not_counted() -> None:
    """It says all that it says; how long its list is would be noise."""
    rule = _item("- Taxis must be booked by the travel desk.", 60)
    listed = {rule.citations[0].span: ListLength(count=9)}
    assert _written(rule, lists=listed).startswith(f"{LEAD_IN} Taxis must be booked")


def test_other_words_than_quoted_stand_by_themselves() -> None:
    """A model's claim about an item is no item: nothing is put before it or taken from it."""
    claim = Claim(
        text="You pay for the minibar yourself.", citations=_item("- minibar;", 60).citations
    )
    other = _item("- fines.", 80)
    assert _written(claim, other).startswith("You pay for the minibar yourself. [1][2]")


@pytest.mark.parametrize(
    ("rest", "listed"),
    [
        ("\n- fines;\n- meals.\n\nOther costs are paid.", ListLength(count=3)),
        ("\n- fines;\n- meals.", ListLength(count=3, is_all=False)),
        ("\n\nOther costs are paid.\n- late ones", ListLength(count=1)),
        ("\nThe following are:\n- meals;\n- taxis.", ListLength(count=1)),
    ],
)
def test_items_are_counted_in_the_stored_text(rest: str, listed: ListLength) -> None:
    """Up to what stands apart behind the list."""
    text = f"{LEAD_IN}\n- minibar;{rest}"
    assert listed_in(text, introduced_by=len(LEAD_IN), is_cut=True) == listed


def test_only_the_items_of_the_list_itself_are_counted() -> None:
    """Not those below one of its items, and not those of the next list, however they are marked."""
    first, second = "a. These need approval:", "a. These don't:"
    items = "    i. travel:\n        - by air\n    i. training"
    text = f"{first}\n{items}\n{second}\n    i. lunch\n"
    assert listed_in(text, introduced_by=len(first), is_cut=False) == ListLength(count=2)


def test_what_is_no_item_is_not_counted() -> None:
    """A sentence has no list around it."""
    assert listed_in(f"{LEAD_IN} the minibar.", introduced_by=len(LEAD_IN), is_cut=False) is None


@pytest.mark.parametrize("tail", ["\n\n## 2 Meals\nMeals are paid.\n", ""])
async def test_an_answer_says_how_much_of_a_list_it_quotes(tail: str) -> None:
    """Counted in the policy, also where the list ends it."""
    policy = Policy(
        key="travel",
        title="Travel Policy",
        text=f"# Travel Policy\n\n## 1 Costs\n{LEAD_IN}\n- minibar;\n- fines;\n- meals.{tail}",
    )

    def drafted(evidence: Evidence) -> Draft:
        cited = (quoted(evidence, LEAD_IN), quoted(evidence, "- fines;"))
        text = item_sentence(LEAD_IN, "- fines;")
        return Draft(claims=(Claim(text=text, citations=cited),))

    reasoner = ScriptedReasoner(drafts=[drafted], judgements=[make_judgement()])
    answer = (await make_world(policy).run(reasoner, "Are fines paid for?")).answer
    assert answer.outcome is Outcome.ANSWERED
    assert answer.text == "The following are not reimbursed (1 of 3 listed): fines. [1][2]"
    assert [one.quote for one in answer.citations] == [LEAD_IN, "- fines;"]


async def test_a_row_is_cited_alone() -> None:
    """What names its columns is kept with it, and stands in no list of sources."""
    policy = Policy(
        key="travel",
        title="Travel Policy",
        text=f"# Travel Policy\n\n## 1 Hotels\n{HEADER}\nLondon | 190\nParis | 170\n",
    )
    rows = ("London | 190", "Paris | 170")

    def drafted(evidence: Evidence) -> Draft:
        header = replace(quoted(evidence, HEADER), is_header=True)
        return Draft(
            claims=tuple(
                Claim(text=row_sentence(HEADER, row), citations=(header, quoted(evidence, row)))
                for row in rows
            )
        )

    reasoner = ScriptedReasoner(drafts=[drafted], judgements=[make_judgement()])
    answer = (await make_world(policy).run(reasoner, "What may a hotel cost?")).answer
    assert answer.outcome is Outcome.ANSWERED
    assert answer.text.splitlines() == [
        "Hotels:",
        "\u2022 London: hotel GBP 190 per night [1]",
        "\u2022 Paris: hotel GBP 170 per night [2]",
    ]
    assert [one.numbers for one in answer.claims] == [(1,), (2,)]
    assert [(one.number, one.quote) for one in answer.quoted] == list(enumerate(rows, start=1))
    assert [one.quote for one in answer.citations] == [*rows, HEADER]
    assert {one.header for one in answer.quoted} == {3}
    stored = answer_of(answer_json(answer))
    assert [one.header for one in stored.quoted] == [3, 3]
    reasoner = ScriptedReasoner(drafts=[drafted], judgements=[make_judgement(approved=False)] * 3)
    near = (await make_world(policy).run(reasoner, "What may a hotel cost?")).answer
    assert near.is_closest
    assert "per night\u201d [1][2]\n" in near.text
    around = {number: Around(before="and so on. ") for number in (1, 2)}
    shown = page_of(
        EvidenceView(answer=answer, answer_id="a", around=around),
        Library(),
        draw=lambda item: iter([[item]]),
        size=lambda _: 1,
        most=100,
        items=100,
    )
    told = [one.before for one in shown.items if isinstance(one, QuotePart)]
    assert len(told) == 2
    assert all(before.startswith(HEADER) for before in told)


def test_text_is_its_own_structure() -> None:
    """Lines are paragraphs or items; answers of earlier releases have a paragraph a line."""
    text = (
        "Not paid: [1]\n\u2022 minibar [2]\n\u2022 fines [3]\n\nAsk. [4]\nEarlier. [5]\n\u2022 \n"
    )
    assert list(blocks(text)) == [
        Paragraph(text="Not paid: [1]"),
        ListBlock(items=("minibar [2]", "fines [3]")),
        Paragraph(text="Ask. [4]"),
        Paragraph(text="Earlier. [5]"),
        Paragraph(text="\u2022"),
    ]
    assert list(blocks("")) == []


ASKED = "Can I get a new laptop, and who pays for a second monitor?"


def test_an_open_part_is_named_in_the_askers_words() -> None:
    """Where one question of several is answered, the other one is repeated as it was asked."""
    claim = _plain("Employees may order a laptop every three years.", 0)
    assert unanswered(ASKED, [claim]) == (
        "I found nothing on: \u201cwho pays for a second monitor\u201d"
    )


@pytest.mark.parametrize(
    ("question", "named"),
    [
        ("Can I get a new laptop? And who pays for my parking?", "who pays for my parking"),
        ("Who pays for my parking? And can I get a laptop?", "Who pays for my parking"),
        ("Can I get a laptop? Or is parking paid? But who owns bicycles?", ""),
    ],
)
def test_an_open_part_is_named_without_what_joins_it(question: str, named: str) -> None:
    """ "And", "or" and "but" belong to the part before; several open parts are all named."""
    said = unanswered(question, [_plain("Employees may order a laptop every three years.", 0)])
    assert said is not None
    assert "\u201cAnd" not in said
    assert (f"\u201c{named}\u201d" in said) or not named


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("Can I get a new laptop?", "Offices open at nine."),
        (ASKED, "Laptops are ordered, monitors are paid by the department."),
        (ASKED, "Offices open at nine."),
        (
            f"Can I get a new laptop, and who pays for {'very ' * 40}big monitors?",
            "Order a laptop.",
        ),
    ],
)
def test_nothing_is_said_to_be_missing_unless_it_certainly_is(question: str, text: str) -> None:
    """One question has no parts; a part of which a claim speaks, and all of them, are not named."""
    assert unanswered(question, [_plain(text, 0)]) is None
