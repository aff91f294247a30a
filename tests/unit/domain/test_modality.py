import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.language.modality import Modality, modalities, modality

M = Modality


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Employees must report it.", M.MUST),
        ("Employees have to report it.", M.MUST),
        ("Employees are required to report it.", M.MUST),
        ("Travel requires approval.", M.MUST),
        ("CFO Approval Required", M.MUST),
        ("Employees may not do it.", M.MUST_NOT),
        ("Employees **must** **not** do it.", M.MUST_NOT),
        ("Employees cannot do it.", M.MUST_NOT),
        ("No employee may accept cash.", M.MUST_NOT),
        ("No contract shall be executed until sign-off.", M.MUST_NOT),
        ("Cash is strictly prohibited.", M.MUST_NOT),
        ("Employees are not allowed to fly.", M.MUST_NOT),
        ("Never share a password.", M.MUST_NOT),
        ("Do not share passwords.", M.MUST_NOT),
        ("Employees may accept it.", M.MAY),
        ("Employees are permitted to accept it.", M.MAY),
        ("Employees can accept it.", M.MAY),
        ("Employees need not ask.", M.NEED_NOT),
        ("Approval is not required.", M.NEED_NOT),
        ("Employees do not have to ask.", M.NEED_NOT),
        ("No approval is required below EUR 50.", M.NEED_NOT),
        ("You can't connect a phone.", M.MUST_NOT),
        ("You can\u2019t connect a phone.", M.MUST_NOT),
        ("\u2022 Do not remove the seal.", M.MUST_NOT),
        ("i. Do not remove the seal.", M.MUST_NOT),
        ("2. Please don't share the code.", M.MUST_NOT),
        ("We do not allow pets in the building.", M.MUST_NOT),
        ("Late claims aren't allowed.", M.MUST_NOT),
        ("No form of bullying is allowed.", M.MUST_NOT),
        ("Keeping tips is against company policy.", M.MUST_NOT),
        ("There is no amount of leave that you may not carry over.", M.MUST_NOT),
        ("There is no maximum amount of leave you can carry over.", M.MAY),
        ("You do not need the manager's approval before you can travel.", M.NEED_NOT),
        ("You need the manager's approval before you can travel.", M.MUST),
        ("Registration is optional.", M.NEED_NOT),
        ("Staff are responsible for reporting leaks.", M.MUST),
        ("Tell the desk without delay.", M.NONE),
        ("Decline gifts.", M.NONE),
        ("Employees should avoid it.", M.SHOULD_NOT),
        ("Employees should not do it.", M.SHOULD_NOT),
        ("It is recommended to ask.", M.SHOULD),
        ("Employees are expected to ask.", M.SHOULD),
        ("The policy was issued in May 2024.", M.NONE),
        ("A prize above GBP 50 may be kept.", M.MAY),
        ("Papers no longer needed must be shredded.", M.MUST),
        ("Fill in the required fields, as required by law.", M.NONE),
        ("If approval is required, the manager may give it.", M.MAY),
        ("Should you be offered cash, you must decline it.", M.MUST),
        ("Employees who are not permitted to travel must tell HR.", M.MUST),
    ],
)
def test_modality_of_a_sentence(text: str, expected: Modality) -> None:
    """The main clause decides."""
    assert modality(text) is expected


def test_a_sentence_has_clauses() -> None:
    """Each modal verb has its clause, with its own trigger."""
    text = "Employees may accept gifts but must not accept cash."
    clauses = modalities(text)
    assert [(c.modality, c.trigger.of(text) if c.trigger else "") for c in clauses] == [
        (M.MAY, "may"),
        (M.MUST_NOT, "must not"),
    ]


def test_list_items_take_the_modality_of_their_lead_in() -> None:
    """An item without a modal verb of its own means what the lead-in says."""
    text = "Staff must not:\n(a) accept cash;\n(b) offer cash.\n\nStaff work."
    assert [clause.modality for clause in modalities(text)] == [
        M.MUST_NOT,
        M.MUST_NOT,
        M.MUST_NOT,
        M.NONE,
    ]


def test_items_of_one_style_are_not_under_each_other() -> None:
    """A numbered item that introduces bullets does not govern the next numbered item."""
    text = "1. Staff must report to:\n- the desk.\n2. The desk logs reports."
    assert [clause.modality for clause in modalities(text)] == [M.MUST, M.MUST, M.NONE]


@given(
    st.lists(
        st.sampled_from(
            ("No", "Employees", "may", "must", "not", "cash", ",", ".", "if", "(a)", ":", "\n")
        ),
        max_size=30,
    )
)
def test_clauses_lie_in_order(tokens: list[str]) -> None:
    """Clauses of any text lie in order in it."""
    text = " ".join(tokens)
    position = 0
    for clause in modalities(text):
        assert position <= clause.span.char_start < clause.span.char_end <= len(text)
        position = clause.span.char_end


@pytest.mark.parametrize("piece", ["no ", "may ", "no employee ", "a, ", "must "])
def test_time_is_linear(piece: str) -> None:
    """A long text of any pattern is read in about linear time."""
    began = time.process_time()
    modalities(piece * 5_000)
    assert time.process_time() - began < 5
