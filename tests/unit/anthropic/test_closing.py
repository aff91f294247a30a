"""What an answer says of itself: strict lines at its end, or nothing."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.adapters.anthropic.dialogue.claims import closing_of
from core.domain.answer import Branch

ASK = "ASK: country | Which country are you in? | Germany | France"
BRANCH = Branch(slot="country", question="Which country are you in?", options=("Germany", "France"))


def test_lines_at_the_end_are_read_and_cut_off() -> None:
    """All three, in any order, with blank lines between."""
    text = f"Cash is out.\n\nCONFLICT\nMISSING: the limit\n\n{ASK}\n"
    closing = closing_of(text, known=())
    assert text[: closing.length] == "Cash is out."
    assert (closing.is_present, closing.is_conflict, closing.missing, closing.branch) == (
        True,
        True,
        "the limit",
        BRANCH,
    )


def test_a_line_alone_is_the_whole_reply() -> None:
    """Nothing answers the question: there is no text left."""
    closing = closing_of("MISSING: what a drone is", known=())
    assert (closing.length, closing.missing) == (0, "what a drone is")


@pytest.mark.parametrize(
    "text",
    [
        "Cash is out.",
        "CONFLICT\nCash is out.",
        "MISSING: this\nCash is out.",
        "Cash is out. CONFLICT",
        "Cash is out.\n**CONFLICT**",
        "Cash is out.\nConflict",
        "Cash is out.\nMISSING:",
        "Cash is out.\nThere is a CONFLICT",
        "Cash is out.\nCONFLICT.",
    ],
)
def test_anything_else_is_text(text: str) -> None:
    """A line that is almost one is read as a sentence, so it must be cited like one."""
    closing = closing_of(text, known=())
    assert (closing.length, closing.is_present) == (len(text), False)


@pytest.mark.parametrize(
    "line",
    [
        "ASK: country",
        "ASK: country | Tell me the country. | Germany | France",
        "ASK: country | Which country? | Germany",
        "ASK: country | Which country? | Germany | Germany",
        "ASK: | Which country? | Germany | France",
        "ASK: limit | Is it above EUR 900? | yes | no",
        f"ASK: country | {'x' * 600}? | Germany | France",
        f"ASK: country | Which country? | {'x' * 100} | France",
    ],
)
def test_a_question_that_may_not_be_shown_is_no_branch(line: str) -> None:
    """It is shown unverified: it states nothing, and names no figure that nobody mentioned."""
    closing = closing_of(f"Cash is out.\n{line}", known=["The limit is EUR 50."])
    assert (closing.is_present, closing.branch) == (True, None)


def test_a_figure_that_is_known_may_be_asked_about() -> None:
    """It stands in the question or in a finding."""
    line = "ASK: value | Is it worth more than EUR 50? | above EUR 50 | up to EUR 50"
    closing = closing_of(line, known=["The limit is EUR 50."])
    assert closing.branch
    assert closing.branch.options == ("above EUR 50", "up to EUR 50")


@given(st.text(alphabet=st.sampled_from("CONFLICT\nMISSING: ASK|?ab "), max_size=80))
def test_no_text_makes_it_fail(text: str) -> None:
    """What is left is a beginning of the text."""
    closing = closing_of(text, known=())
    assert 0 <= closing.length <= len(text)
