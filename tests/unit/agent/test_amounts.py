"""An example with another amount is no answer."""

import pytest

from core.agent.planning.intent import amounts_of, is_of_another_amount

EXAMPLE = "Bottle of wine worth EUR 25 from a carrier at year end | Accept, no entry needed"


@pytest.mark.parametrize(
    ("question", "sentence", "is_other"),
    [
        ("May I take a bottle of wine worth 40 euros?", EXAMPLE, True),
        ("May I take a bottle of wine worth GBP 25?", EXAMPLE, True),
        ("May I take a bottle of wine worth 25 euros?", EXAMPLE, False),
        ("May I take a bottle of wine?", EXAMPLE, False),
        ("Is 40 euros fine?", "Gifts up to EUR 50 need no approval.", False),
        ("Is 40 euros fine?", "The limit for gifts is EUR 50.", False),
        ("Is 40 euros fine?", "A gift worth EUR 60 or more is returned.", False),
        ("Is EUR 140 fine in Munich?", "Hamburg, Munich | EUR 150", False),
    ],
)
def test_only_a_case_of_another_amount_is_left_out(
    question: str, sentence: str, *, is_other: bool
) -> None:
    """Bounds and limits hold for every amount."""
    assert is_of_another_amount(amounts_of(question), sentence) is is_other
