"""Contrast sets: what a guard of statements is trained on."""

import random
import re

import pytest
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace

from evals.statements import LabelledStatement
from evals.training.contrasts import changes, contrast_set, reworded
from evals.training.sampling import STEP_TOKENS
from evals.training.statements import PAIR_TOKENS, StatementSampler, sentences_of

TEXT = (
    "Employees must not accept gifts above EUR 50 within 30 days of a tender unless the Legal team"
    " has approved it."
)


def draws(seed: int = 1) -> random.Random:
    """What is drawn, repeatably."""
    return random.Random(seed)  # noqa: S311  # no secret


@pytest.mark.parametrize("seed", range(8))
def test_each_change_changes_one_thing(seed: int) -> None:
    """All kinds that the text has a hold for; none leaves it as it is."""
    found = changes(TEXT, draws(seed))
    assert {"neg", "mod", "num", "time", "cond", "who", "scope"} <= {one.kind for one in found} | {
        "add",
        "scope",
    }
    for one in found:
        assert one.applied(TEXT) != TEXT
        assert one.applied(TEXT).endswith(".")
        assert TEXT[: one.start].strip() in one.applied(TEXT)


@pytest.mark.parametrize(
    ("text", "never"),
    [
        ("Passwords are changed every year.", r"annual|yearly|every year"),
        ("Use a password manager.", r"your manager|the board"),
        ("Reports are due every 30 days.", r"some 30"),
    ],
)
def test_a_change_says_something_else(text: str, never: str) -> None:
    """Another word for the same is none, nor is one that makes no sense."""
    for seed in range(60):
        for one in changes(text, draws(seed)):
            is_added = one.new.endswith(".")
            assert is_added or not re.search(never, one.new), one


def test_a_set_has_both_labels_and_no_word_gives_them_away() -> None:
    """The changed statement is supported by the text that is changed in the same way."""
    seen = set[tuple[bool, bool]]()
    for seed in range(40):
        found = contrast_set(TEXT, TEXT, draws(seed), is_written=True)
        assert found[0].is_supported
        assert any(not one.is_supported for one in found)
        for one in found:
            assert one.is_supported or one.claim != one.text
            seen.add((one.claim != TEXT, one.is_supported))
    assert seen == {(True, True), (True, False), (False, True), (False, False)}


def test_rewording_keeps_figures() -> None:
    """As digits or as words."""
    for seed in range(20):
        said = reworded("Report within 5 days; at most EUR 50.", draws(seed))
        assert re.search(r"\b(?:5|five)\b.*\b50\b", said)


def test_a_sampler_draws_sets_that_fit() -> None:
    """Written ones, changed ones and sentences; a pair is cut."""
    tokenizer = Tokenizer(WordLevel({"word": 0, "<unk>": 1}, unk_token="<unk>"))  # noqa: S106
    tokenizer.pre_tokenizer = Whitespace()
    good = LabelledStatement(
        claim="You can't take gifts above EUR 50.",
        sources=(TEXT * 9,),
        supported=True,
        kind="faithful",
        titles=("Gifts", "Limits"),
    )
    bad = LabelledStatement(claim="Take all.", sources=good.sources, supported=False, kind="neg")
    unit = {"path": ["Gifts"], "text": TEXT, "lead": None, "head": False}
    item = {**unit, "text": "- accept any gift above EUR 20, or cash.", "lead": "Never:"}
    skipped = [{**unit, "head": True}, {**unit, "text": "Is it?"}, {**unit, "text": "Name | Sum"}]
    sentences = sentences_of([{"units": [unit, item, *skipped]}])
    assert [one.text for one in sentences] == [TEXT, item["text"]]
    sampler = StatementSampler([good, bad], sentences, tokenizer, seed=1)
    steps = sampler.steps(2)
    rows = [row for step in steps for choice in step for row in choice.rows]
    assert {row.target for row in rows} == {0.0, 1.0}
    assert max(row.width for row in rows) <= PAIR_TOKENS + 3
    assert all(sum(row.width for one in step for row in one.rows) <= STEP_TOKENS for step in steps)
