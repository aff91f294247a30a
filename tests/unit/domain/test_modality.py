import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.domain.modality import Modality, modalities, modality, modality_kept

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


_GIFTS = "Employees may accept gifts up to EUR 75 but must not accept cash. Managers should ask."


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("Employees may accept gifts up to EUR 75.", _GIFTS),
        ("Employees must not accept cash.", _GIFTS),
        ("Yes, employees may accept gifts.", _GIFTS),
        ("Managers should ask.", _GIFTS),
        ("Staff must not accept cash.", "Staff must not:\n(a) accept cash;\n(b) offer cash."),
        ("Contractors are forbidden to accept gifts.", "Contractors must not accept any gift."),
        (
            "Gifts must be approved by the officer.",
            "Gifts must not be accepted unless the officer has approved the gifts.",
        ),
        ("The limit is EUR 75.", "The limit is EUR 75 a year."),
    ],
)
def test_kept(claim: str, source: str) -> None:
    """A claim that says the same in other words is kept."""
    assert modality_kept(claim, [source]) is None


def test_a_lead_in_and_its_item_may_be_two_sources() -> None:
    """The item cited beside its lead-in is read under it."""
    sources = ["Employees must not:", "- accept cash;"]
    assert modality_kept("Employees must not accept cash.", sources) is None
    assert modality_kept("Employees may accept cash.", sources) is not None


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("Employees may accept cash.", _GIFTS),
        ("Employees must accept gifts.", _GIFTS),
        ("Managers must ask.", _GIFTS),
        ("Employees must report.", "Employees need not report."),
        ("Employee may accept cash.", "No employee may accept cash."),
        ("Cash is accepted.", "Cash is not accepted."),
        ("Employees may fly to Mars.", _GIFTS),
        (
            "Employees must accept gifts without approval.",
            "Employees may accept gifts without approval.",
        ),
        ("Staff may accept cash.", "Staff must not:\n(a) accept cash;\n(b) offer cash."),
    ],
)
def test_changed(claim: str, source: str) -> None:
    """A claim that changes what is required, allowed or denied is named."""
    assert modality_kept(claim, [source]) is not None


_VERBS = {
    M.MUST: ["must", "shall", "are required to", "have to"],
    M.MUST_NOT: [
        "must not",
        "may not",
        "shall not",
        "are not permitted to",
        "cannot",
        "must never",
    ],
    M.MAY: ["may", "are permitted to", "can"],
    M.SHOULD: ["should", "are expected to"],
    M.SHOULD_NOT: ["should not"],
    M.NEED_NOT: ["need not", "are not required to"],
}


@given(st.data())
def test_a_changed_modality_is_always_found(data: st.DataObject) -> None:
    """A modal verb of another kind is found; another one of its kind is not."""
    before, after = data.draw(st.tuples(*[st.sampled_from(list(_VERBS))] * 2))
    act = data.draw(
        st.sampled_from(["report a gift", "fly first class", "accept money from banks"])
    )
    source = f"Employees {data.draw(st.sampled_from(_VERBS[before]))} {act}."
    claim = f"All employees {data.draw(st.sampled_from(_VERBS[after]))} {act}."
    assert (modality_kept(claim, ["Other people may sing.", source]) is None) == (before is after)


@given(
    st.lists(
        st.sampled_from(
            ("No", "Employees", "may", "must", "not", "cash", ",", ".", "if", "(a)", ":", "\n")
        ),
        max_size=30,
    )
)
def test_a_verbatim_claim_is_kept(tokens: list[str]) -> None:
    """A text keeps its own modality, and clauses lie in order in the text."""
    text = " ".join(tokens)
    assert modality_kept(text, [text]) is None
    position = 0
    for clause in modalities(text):
        assert position <= clause.span.char_start < clause.span.char_end <= len(text)
        position = clause.span.char_end


@pytest.mark.parametrize("piece", ["no ", "may ", "no employee ", "a, ", "must "])
def test_time_is_linear(piece: str) -> None:
    """A long text of any pattern is read in about linear time."""
    began = time.perf_counter()
    modalities(piece * 5_000)
    assert time.perf_counter() - began < 5
