"""Questions as a model proposes them: what the stored text does not bear is no draft."""

from dataclasses import replace
from time import process_time

import pytest

from core.domain.errors import ContractError
from core.domain.json_value import Json
from core.domain.question_draft import AskedSection, QuestionDraft
from core.language.spans import VersionId
from evals.measuring.drafting.by_model import (
    MOST_CHARACTERS,
    ProposedQuestion,
    checked,
    parts_of,
    proposals_from,
)

LIMIT = "Employees may accept gifts worth up to EUR 50 per year."
CASH = "Cash must not be accepted, unless the Compliance Officer has agreed."
SECTION = AskedSection(
    version_id=VersionId(7),
    start=100,
    text=f"Intro.\n\n{LIMIT}\n\n{CASH}\n\nTwice said here. Twice said here.",
    policy="gifts",
    title="Gifts Policy",
    version="2.0",
    section="4.2",
    heading="Limits",
    path=("4 Gifts", "4.2 Limits"),
)
GOOD = ProposedQuestion(
    question="How much may a gift be worth?", kind="threshold", quotes=("gifts worth up to EUR 50",)
)


def judged(**changed: object) -> QuestionDraft | str:
    return checked(replace(GOOD, **changed), SECTION, made_by="claude/questions/1")  # pyright: ignore[reportArgumentType]


def test_a_quote_becomes_its_whole_sentence_where_it_stands() -> None:
    """Half a sentence can mean the opposite; the span is that of the version's text."""
    found = judged()
    assert isinstance(found, QuestionDraft)
    (passage,) = found.passages
    assert passage.quote == LIMIT
    start = SECTION.text.index(LIMIT)
    assert (passage.span.char_start, passage.span.char_end) == (
        100 + start,
        100 + start + len(LIMIT),
    )
    assert found.expected == "answered"
    case = judged(question="May I keep a gift of EUR 40?")
    assert isinstance(case, QuestionDraft)
    exception = judged(question="Is cash ever fine?", quotes=(CASH,), kind="exception")
    assert isinstance(exception, QuestionDraft)
    assert exception.difficulty == "hard"


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"quotes": ("Employees may accept gifts worth up to EUR 500",)}, "does not stand there"),
        ({"quotes": ("Twice said here.",)}, "does not stand there"),
        ({"quotes": ("gifts",)}, "does not stand there"),
        ({"quotes": (LIMIT * 40,)}, "does not stand there"),
        ({"quotes": ()}, "without a quote"),
        ({"quotes": (LIMIT,) * 4}, "too many"),
        ({"kind": "riddle"}, "no known kind"),
        ({"kind": "unanswerable"}, "no known kind"),
        ({"question": "Where do I park?"}, "something else than its quote"),
        ({"question": "Did Alice Miller accept a gift?"}, "names somebody"),
        ({"question": "May I accept a gift in Norway?"}, "names somebody"),
        ({"question": "May I accept gifts for 3 weeks?"}, "a figure of which"),
        ({"question": "May I accept gifts worth 10 %?"}, "a figure of which"),
        ({"question": "Gifts are fine."}, "no plain question"),
        ({"question": "Gifts?"}, "no plain question"),
        ({"question": "May I <b>accept</b> a gift?"}, "no plain question"),
        ({"question": "May I accept a gift? And cash?"}, "no plain question"),
        ({"question": "See https://evil.example for the gift rules, ok?"}, "no plain question"),
        ({"question": "[gifts](https://evil.example)?"}, "no plain question"),
        ({"question": "May I accept a gift \u202eEUR?"}, "not printable"),
        ({"question": "gift " * 1_600 + "?"}, "too long"),
    ],
)
def test_inventions_are_dropped(changed: dict[str, object], why: str) -> None:
    """Quotes, names, figures, links and markup that the section does not have."""
    found = judged(**changed)
    assert isinstance(found, str)
    assert why in found


SHAPES: list[Json] = [
    None,
    [],
    {},
    {"questions": "May I?"},
    {"questions": [{}]},
    {"questions": ["May I?"]},
    {"questions": [{"question": 1, "kind": "norm", "quotes": []}]},
    {"questions": [{"question": "May I?", "kind": "norm", "quotes": "all"}]},
    {"questions": [{"question": "May I?", "kind": "norm", "quotes": [None]}]},
    {"questions": [{"question": "May I?", "kind": "norm", "quotes": []}] * 5},
]


@pytest.mark.parametrize("value", SHAPES)
def test_another_shape_is_refused_as_a_whole(value: Json) -> None:
    """Nothing is repaired."""
    with pytest.raises(ContractError):
        proposals_from(value)


def test_a_long_section_is_read_in_parts() -> None:
    """Parts cover it, in order, each with its place; a heading alone is none."""
    long = replace(SECTION, text="\n\n".join(f"{n}. {LIMIT}" for n in range(300)))
    parts = list(parts_of(long))
    assert "".join(one.text for one in parts) == long.text
    assert all(len(one.text) <= MOST_CHARACTERS for one in parts)
    assert all(long.text[one.start - 100 :].startswith(one.text) for one in parts)
    assert len({one.sha256 for one in parts}) == len(parts)
    assert not list(parts_of(replace(SECTION, text="Short.")))
    assert "".join(one.text for one in parts_of(replace(SECTION, text="x" * 9_000))) == "x" * 9_000


def test_hostile_texts_take_no_time() -> None:
    """8,000 characters of anything are judged in less than a second of processor time."""
    began = process_time()
    for text in ("gift " * 1_600, "A" * 8_000, " A" * 4_000, "a.b/" * 2_000, "1 " * 4_000):
        judged(question=text)
        judged(question=f"{text}?")
        judged(quotes=(text,))
        checked(GOOD, replace(SECTION, text=text), made_by="m")
    assert process_time() - began < 1
