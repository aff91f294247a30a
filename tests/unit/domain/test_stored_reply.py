"""What is stored of a rewritten question back: what was typed stands where it is erased."""

import pytest

from core.adapters.postgres.queue.replies import reply_json, reply_of
from core.domain.delivery import StoredReply


@pytest.mark.parametrize("chosen", ["from a supplier", ""])
def test_what_was_chosen_is_read_back(chosen: str) -> None:
    """And never taken for the question of an answer that is shared."""
    stored = reply_json(StoredReply(chosen=chosen, answer_id="a1"))
    found = reply_of(stored)
    assert (found.chosen, found.asked) == (chosen, None)


def test_what_was_typed_is_erased_with_the_texts_of_its_writer() -> None:
    """`citebound.forget` takes the key `asked` out of a reply: no other holds the words."""
    stored = reply_json(StoredReply(chosen="from my brother", answer_id="a1"))
    kept = {key: value for key, value in stored.items() if key != "asked"}
    assert "brother" not in str(kept)
    assert reply_of(kept).chosen == ""


def test_an_answer_that_is_shared_keeps_its_question() -> None:
    """It is no rewriting."""
    found = reply_of(reply_json(StoredReply(asked="May I?", answer_id="a1")))
    assert (found.chosen, found.asked) == (None, "May I?")
