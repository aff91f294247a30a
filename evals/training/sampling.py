"""From groups to steps of training: which texts of a group are shown, and which groups together.

Of each group one right text and some wrong ones are drawn, near ones more often; the reader itself
then keeps the wrong ones that it takes for right (`hardest`). Without torch: what runs the reader
is a parameter.
"""

import math
import random
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from tokenizers import Tokenizer

from evals.training.groups import Grain, Group

Ids = Sequence[int]
"""Of tokens, without special ones."""

STEP_TOKENS = 4_096
"""Of a step, padding included."""
SPECIAL = 3
"""[CLS] question [SEP] text [SEP]."""
QUESTION_TOKENS = 64
PAIR_TOKENS: Mapping[Grain, int] = {"s": 96, "p": 176}
TRIED: Mapping[Grain, int] = {"s": 10, "p": 5}
"""Wrong texts drawn."""
KEPT: Mapping[Grain, int] = {"s": 4, "p": 3}
"""Wrong texts trained on."""
NEAREST = 20
"""Wrong texts among which all but two are drawn."""
PARTLY = 0.7
"""The target of what answers in part."""
TYPOS, BARE, WITH_PARTLY = 0.12, 0.1, 0.3
"""Shares: questions with a slip of the finger, texts without headings, groups with a text that
answers in part."""
GAIN = 0.45
"""Share of a group's tokens that is left once the hardest wrong texts are chosen."""

RELATED = ("selqa", "qed", "sharc", "sharc-none")
"""General sources whose questions are most like those that people ask about policies."""


@dataclass(frozen=True, slots=True)
class Row:
    """A pair with its target."""

    question: Ids
    text: Ids
    target: float
    """1: answers; `PARTLY`; 0: does not."""

    @property
    def width(self) -> int:
        """Tokens of the pair."""
        return len(self.question) + len(self.text) + SPECIAL


@dataclass(frozen=True, slots=True)
class Choice:
    """What is shown of one group."""

    grain: Grain
    rows: tuple[Row, ...]

    @property
    def width(self) -> int:
        """Tokens of its longest pair."""
        return max(row.width for row in self.rows)


def kinds_of(groups: Iterable[Group], left_out: Sequence[str] = ()) -> dict[str, list[Group]]:
    """Sort the groups that are trained on by the kinds that stages name."""
    kinds: dict[str, list[Group]] = {}
    for group in groups:
        if group.split == "v" or group.source.startswith(tuple(left_out)):
            continue
        named = ["general"] if group.split == 1 else []
        if group.source.startswith("written"):
            named.append("sentences" if group.grain == "s" else "passages")
        elif group.split == 2 or group.source in RELATED:
            named.append("replay")
        for kind in named:
            kinds.setdefault(kind, []).append(group)
    return kinds


def typo(question: str, chooser: random.Random) -> str:
    """Return the question with a slip of the finger, and without its question mark."""
    words = question.split()
    place = chooser.randrange(len(words))
    word = words[place]
    if len(word) > 3:
        at = chooser.randrange(1, len(word) - 1)
        kind = chooser.random()
        if kind < 0.4:
            word = word[:at] + word[at + 1] + word[at] + word[at + 2 :]
        elif kind < 0.8:
            word = word[:at] + word[at + 1 :]
        else:
            word = word[:at] + word[at] + word[at:]
    words[place] = word
    return " ".join(words).rstrip("?")


def nearest_first(question: str, texts: Sequence[str]) -> list[int]:
    """Order texts by the rare words that they share with the question."""
    bags = [_bag(text.rsplit(": ", 1)[-1]) for text in texts]
    asked = _bag(question)
    holders = {word: sum(word in bag for bag in bags) for word in asked}
    value = {
        word: math.log(1 + (len(bags) + 0.5) / (count + 0.5)) for word, count in holders.items()
    }
    scores = [sum(value[word] for word in asked & bag) / (1 + 0.01 * len(bag)) for bag in bags]
    return sorted(range(len(texts)), key=lambda place: (-scores[place], place))


@lru_cache(maxsize=100_000)
def _bag(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"[a-z0-9]{3,}", text.lower()))


class Sampler:
    """Draws groups of several kinds, each kind over and over in a new random order."""

    def __init__(
        self,
        kinds: Mapping[str, Sequence[Group]],
        texts: Sequence[str],
        tokenizer: Tokenizer,
        *,
        seed: int,
    ) -> None:
        """Take the groups by kind, none empty, and the table of texts."""
        self.random = random.Random(seed)
        self._kinds = kinds
        self._texts = texts
        self._tokenizer = tokenizer
        self._queues: dict[str, list[Group]] = {kind: [] for kind in kinds}
        self._ids: dict[str, Ids] = {}
        self._ordered: set[int] = set()

    def wave(self, shares: Mapping[str, float], *, steps: int) -> list[Choice]:
        """Return what about so many steps hold; `shares` are those of the tokens, by kind."""
        choices: list[Choice] = []
        for kind, share in shares.items():
            left = share * steps * STEP_TOKENS
            while left > 0:
                choice = self.sample(kind)
                choices.append(choice)
                left -= sum(row.width for row in choice.rows) * GAIN
        return choices

    def sample(self, kind: str) -> Choice:
        """Return the next group of a kind: a right text, perhaps one in part, wrong ones."""
        if not self._queues[kind]:
            self._queues[kind] = self.random.sample(self._kinds[kind], len(self._kinds[kind]))
        group = self._queues[kind].pop()
        self._order(group)
        chooser = self.random
        right = [chooser.choice(group.right)] if group.right else []
        partly = (
            [chooser.choice(group.partly)]
            if group.partly and chooser.random() < WITH_PARTLY
            else []
        )
        near, tried = group.wrong[:NEAREST], TRIED[group.grain]
        wrong = chooser.sample(near, min(len(near), tried - 2))
        rest = [place for place in group.wrong if place not in wrong]
        wrong += chooser.sample(rest, min(len(rest), tried - len(wrong)))
        slips, is_bare = chooser.random() < TYPOS, chooser.random() < BARE
        asked = self._encoded(typo(group.question, chooser) if slips else group.question)
        targets = [*((t, 1.0) for t in right), *((t, PARTLY) for t in partly)]
        rows = [
            self._row(asked, self._texts[place], target, group.grain, is_bare=is_bare)
            for place, target in [*targets, *((t, 0.0) for t in wrong)]
        ]
        return Choice(grain=group.grain, rows=tuple(rows))

    def _order(self, group: Group) -> None:
        if id(group) not in self._ordered:
            order = nearest_first(group.question, [self._texts[place] for place in group.wrong])
            group.wrong = [group.wrong[place] for place in order]
            self._ordered.add(id(group))

    def _row(self, asked: Ids, text: str, target: float, grain: Grain, *, is_bare: bool) -> Row:
        if is_bare and 0 < text.find(": ") < 160:
            text = text.split(": ", 1)[1]
        asked = asked[:QUESTION_TOKENS]
        room = PAIR_TOKENS[grain] - SPECIAL - min(40, len(asked))
        return Row(question=asked, text=self._encoded(text)[:room], target=target)

    def _encoded(self, text: str) -> Ids:
        if text not in self._ids:
            self._ids[text] = self._tokenizer.encode(text, add_special_tokens=False).ids
        return self._ids[text]


def hardest(
    choices: Sequence[Choice], score: Callable[[Sequence[Row]], Sequence[float]]
) -> list[Choice]:
    """Keep the wrong texts of each group that the reader takes for right, `KEPT` of them."""
    wrong = [row for choice in choices for row in choice.rows if row.target == 0]
    scores = iter(score(wrong))
    kept: list[Choice] = []
    for choice in choices:
        others = [row for row in choice.rows if row.target > 0]
        scored = [(next(scores), row) for row in choice.rows if row.target == 0]
        scored.sort(key=lambda one: -one[0])
        hard = [row for _, row in scored[: KEPT[choice.grain]]]
        kept.append(Choice(grain=choice.grain, rows=(*others, *hard)))
    return kept


def packed(choices: Sequence[Choice], chooser: random.Random) -> list[list[Choice]]:
    """Put groups of like length into steps of at most `STEP_TOKENS`, in random order.

    A group that is longer by itself is a step of its own.
    """
    steps: list[list[Choice]] = []
    pairs = 0
    for choice in sorted(choices, key=lambda one: one.width):
        if steps and (pairs + len(choice.rows)) * choice.width <= STEP_TOKENS:
            steps[-1].append(choice)
            pairs += len(choice.rows)
        else:
            steps.append([choice])
            pairs = len(choice.rows)
    chooser.shuffle(steps)
    return steps
