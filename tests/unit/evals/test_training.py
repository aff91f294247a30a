"""The parts of the reader's training that need no torch: groups, what is drawn of them, figures."""

import ast
import random
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace

from evals.training import measure, metrics
from evals.training.groups import MOST_WRONG, Group, GroupTable
from evals.training.policies import clean
from evals.training.sampling import (
    KEPT,
    STEP_TOKENS,
    TRIED,
    Choice,
    Row,
    Sampler,
    hardest,
    kinds_of,
    nearest_first,
    packed,
    typo,
)
from evals.training.written import (
    Document,
    add_questions,
    packed_words,
    statements_of,
)

TRAINING = Path(__file__).parents[3] / "evals" / "training"
NEED_TORCH = {"encoder.py", "export.py", "train.py", "train_guard.py"}

GIFTS: Document = {
    "doc": "acme/gifts",
    "title": "Gifts",
    "units": [
        {
            "path": ["Gifts", "Limits"],
            "section": "s1",
            "text": "Gifts up to EUR 50 are allowed.",
            "lead": None,
            "head": False,
        },
        {
            "path": ["Gifts", "Limits"],
            "section": "s1",
            "text": "cash;",
            "lead": "Never accept:",
            "head": False,
        },
        {
            "path": ["Gifts", "Reports"],
            "section": "s2",
            "text": "Report gifts within a week.",
            "lead": None,
            "head": False,
        },
        {
            "path": ["Gifts", "Reports"],
            "section": "s2",
            "text": "What is a gift?",
            "lead": None,
            "head": False,
        },
    ],
}


def group(number: int = 0, *, wrong: int = 30, grain: str = "s", source: str = "written") -> Group:
    """A group whose right text is the first of the table."""
    return Group(
        question=f"question {number}",
        right=[0],
        partly=[],
        wrong=list(range(1, wrong + 1)),
        grain="p" if grain == "p" else "s",
        source=source,
        split=2,
    )


def sampler(groups: Sequence[Group]) -> Sampler:
    """Draws of one kind, over a hundred texts."""
    tokenizer = Tokenizer(WordLevel({"word": 0, "<unk>": 1}, unk_token="<unk>"))  # noqa: S106
    tokenizer.pre_tokenizer = Whitespace()
    texts = [f"Title > Part: {'word ' * (n + 1)}" for n in range(100)]
    return Sampler({"one": groups}, texts, tokenizer, seed=1)


def test_only_what_runs_the_model_needs_torch() -> None:
    """All else can be read, run and tested without it."""
    for path in TRAINING.glob("*.py"):
        names = {
            alias.name.split(".")[0]
            for node in ast.walk(ast.parse(path.read_text()))
            if isinstance(node, ast.Import)
            for alias in node.names
        }
        assert ("torch" in names) == (path.name in NEED_TORCH), path.name


def test_a_text_stands_once_and_counts_as_the_best_it_is(tmp_path: Path) -> None:
    """A file holds what was added; a group with nothing to tell apart is none."""
    table = GroupTable()
    table.add("Q", ["a"], ["a", "b", "c"], source="x", split=2, grain="s", partly=["b"])
    table.add("Q", ["a"], [], source="x", split=2, grain="s")
    table.add("Q", [], ["a"], source="x", split=2, grain="s")
    table.add("Q", [], ["a"], source="x-none", split=2, grain="s")
    first, second = table.groups
    assert (first.right, first.partly, first.wrong, second.wrong) == ([0], [1], [2], [0])
    table.write(tmp_path / "groups.json.gz")
    again = GroupTable.read(tmp_path / "groups.json.gz")
    assert (again.texts, again.groups) == (["a", "b", "c"], table.groups)


def test_what_is_held_out_keeps_all_its_candidates() -> None:
    """What is trained on is drawn from."""
    table = GroupTable()
    many = [str(number) for number in range(MOST_WRONG + 9)]
    table.add("Q", ["right"], many, source="x", split=2, grain="s")
    table.add("Q", ["right"], many, source="x", split="v", grain="s")
    assert [len(one.wrong) for one in table.groups] == [MOST_WRONG, MOST_WRONG + 9]


def test_a_written_line_gives_sentences_and_passages() -> None:
    """A list item stands with its lead-in; questions and the answer's other parts are not wrong."""
    table = GroupTable()
    add_questions(table, GIFTS, "1;0|Is cash ok?|may I take money", split=2)
    sentences, passages = table.groups[:2]
    assert len(table.groups) == 4
    assert [table.texts[n] for n in sentences.right] == ["Gifts > Limits: Never accept: cash;"]
    assert [table.texts[n] for n in sentences.wrong] == [
        "Gifts > Reports: Report gifts within a week."
    ]
    assert [table.texts[n] for n in passages.right] == [
        "Gifts > Limits: Gifts up to EUR 50 are allowed. cash;"
    ]
    add_questions(table, GIFTS, "-|Who pays?", split=2)
    assert (table.groups[-1].right, table.groups[-1].source) == ([], "written-none")


def test_a_statement_is_supported_or_says_what_is_wrong_with_it() -> None:
    """It cites the units of its line, an item behind what introduces it."""
    line = "0,1|+A gift worth EUR 40 is fine, but no cash.|-num:Gifts up to EUR 80 are allowed."
    good, bad = statements_of(GIFTS, line)
    assert (good.supported, bad.supported, bad.kind) == (True, False, "num")
    assert good.sources == ("Gifts up to EUR 50 are allowed.", "Never accept:", "cash;")
    assert good.titles == ("Gifts", "Limits")
    with pytest.raises(ValueError, match="expected"):
        statements_of(GIFTS, "0|Neither.")


def test_consecutive_parts_are_packed() -> None:
    """A part that is too long stands alone."""
    assert packed_words(["a b", "c", "d e f g", "h"], size=3) == [[0, 1], [2], [3]]
    assert packed_words([]) == []


def test_markup_is_dropped() -> None:
    """What a renderer would not show."""
    raw = "---\ntitle: x\n---\n# A\n<!-- no -->[Link](http://x) {{ companyShortName }} **b** :tada:"
    assert clean(raw) == "# A\nLink the Company b "


def test_kinds_of_groups() -> None:
    """Validation and what is left out are of no kind; general ones may be repeated later."""
    held, general, odd = group(), group(source="qed"), group(source="boolq")
    held.split, general.split, odd.split = "v", 1, 1
    written, whole = group(), group(grain="p")
    left = group(source="xref")
    kinds = kinds_of([held, general, odd, written, whole, left], ["xref"])
    assert kinds == {
        "general": [general, odd],
        "replay": [general],
        "sentences": [written],
        "passages": [whole],
    }


def test_near_texts_come_first() -> None:
    """Rare words count, the headings do not; a short text before a long one."""
    texts = ["Gift: all staff", "T: a gift to staff", "T: staff"]
    assert nearest_first("gift staff", texts) == [1, 2, 0]


def test_a_slip_changes_one_word() -> None:
    """Short words stay."""
    chooser = random.Random(3)  # noqa: S311  # repeatable
    for _ in range(50):
        slipped = typo("may I accept presents?", chooser)
        changed = [
            a
            for a, b in zip(slipped.split(), ["may", "I", "accept", "presents"], strict=True)
            if a != b
        ]
        assert len(changed) <= 1
    assert typo("may I", chooser) == "may I"


def test_a_group_is_drawn_with_its_right_text_and_some_wrong_ones() -> None:
    """Ten wrong sentences are tried; short groups give what they have; all are within bounds."""
    drawn = sampler([group()]).sample("one")
    assert [row.target for row in drawn.rows] == [1.0, *[0.0] * TRIED["s"]]
    assert len({tuple(row.text) for row in drawn.rows}) == 1 + TRIED["s"]
    assert drawn.width <= 96
    assert len(sampler([group(wrong=1)]).sample("one").rows) == 2


def test_each_group_comes_once_before_any_comes_again() -> None:
    """In another order each time."""
    groups = [group(number) for number in range(6)]
    draws = sampler(groups)
    for _ in range(2):
        asked = {len(draws.sample("one").rows[0].question) for _ in groups}
        assert asked == {2}
    assert draws.wave({"one": 1.0}, steps=1)


def test_the_hardest_wrong_texts_are_kept() -> None:
    """Those that the reader takes for right; right ones always."""
    rows = tuple(Row(question=(1,), text=(n,), target=float(n == 0)) for n in range(9))
    short = Choice(grain="s", rows=rows[:2])
    kept = hardest(
        [Choice(grain="s", rows=rows), short], lambda wrong: [float(row.text[0]) for row in wrong]
    )
    assert [row.text[0] for row in kept[0].rows] == [0, 8, 7, 6, 5][: 1 + KEPT["s"]]
    assert kept[1] == short


def test_steps_hold_what_fits() -> None:
    """No step is longer than it may be but one with a single group, and no group is lost."""
    chooser = random.Random(2)  # noqa: S311  # repeatable
    choices = [
        Choice(
            grain="p",
            rows=tuple(
                Row(question=(1,) * 10, text=(2,) * chooser.randint(1, 250), target=0.0)
                for _ in range(chooser.randint(1, 9))
            ),
        )
        for _ in range(200)
    ]
    choices.append(Choice(grain="p", rows=(Row(question=(), text=(1,) * 5_000, target=0.0),)))
    steps = packed(choices, chooser)
    for step in steps:
        width = max(choice.width for choice in step)
        assert len(step) == 1 or sum(len(c.rows) for c in step) * width <= STEP_TOKENS
    assert sorted(map(id, (c for step in steps for c in step))) == sorted(map(id, choices))
    assert packed([], chooser) == []


def _mean(values: Sequence[float]) -> float:
    return float(np.mean(values))


def test_figures_by_hand() -> None:
    """AUROC with a tie, TPR, and the interval of a mean."""
    assert metrics.auroc([3, 1], [2, 1]) == pytest.approx((2 + 0.5) / 4)
    assert metrics.tpr_at([1, 5, 9], list(range(10))) == pytest.approx(1 / 3)
    low, high = metrics.interval([[0, 1] * 50], _mean)
    assert low < 0.5 < high


def test_the_blend_is_that_of_the_product() -> None:
    """Weight times logit less the logarithm of the rank; hits behind the depth stay."""
    assert metrics.blended([0, 1, 5, 9], weight=0.8, depth=3) == [2, 1, 0, 3]
    assert metrics.blended([0, 1, 5], weight=0.0, depth=3) == [0, 1, 2]


def test_bm25_prefers_rare_words() -> None:
    """And knows nothing of words that no text has."""
    bm25 = metrics.Bm25(["the gift", "the rule", "the law of the land"])
    scores = [bm25.score("the gift?", number) for number in range(3)]
    assert scores[0] > max(scores[1:]) >= min(scores[1:]) > 0
    assert bm25.score("unknown", 0) == 0


def test_what_a_validation_set_says() -> None:
    """The right text comes first, and nothing answers the other question."""
    rows = [
        {"p": [0], "s": [], "n": [1, 2], "g": "s", "none": False},
        {"p": [], "s": [], "n": [3], "g": "s", "none": True},
    ]
    scores = {0: 2.0, 1: 1.0, 2: -1.0, 3: -2.0}
    held = {
        "asked": ["gift", "law"],
        "texts": ["gift", "other gift", "rule", "land"],
        "pairs": [(0, 0), (0, 1), (0, 2), (1, 3)],
        "sets": {"v": rows},
    }
    assert measure.chosen_pairs(held, 1) == {0: [0, 1], 1: [3]}
    lines = measure.validation_lines(rows, measure.chosen_pairs(held, 0), scores)
    assert lines[0] == "sentences: 1 questions, 1 that nothing answers"
    assert lines[1].split()[-3:] == ["1.000", "[1.000,", "1.000]"]
    said = [{"pair": 0, "ok": True, "kind": "faithful"}, {"pair": 3, "ok": False, "kind": "neg"}]
    assert measure.statement_lines(said, scores)[-1].endswith("neg 1.00 of 1")
    hits = [{"k": [1, "a"], "pair": 2}, {"k": [1, "b"], "pair": 0}]
    (_, *figures) = measure.order_lines([{"gold": [[1, "b"]], "hits": hits}], scores)
    assert figures[0].split()[-1] == "0.500"
    assert figures[5].split()[-1] == "1.000"
