"""Groups: a question with texts that answer it and texts of the same document that do not.

A file of groups is JSON, gzipped: ``texts``, a table, and ``groups`` with indices into it. The same
question is there twice, with sentences and with passages.
"""

import gzip
import json
import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

MOST_WRONG = 150
"""Wrong texts kept of a group that is trained on."""
MOST_CHARACTERS = 1_600
"""Of a text; a reader takes less."""

Grain = Literal["s", "p"]
"""Sentences or passages."""
Split = Literal[1, 2, "v"]
"""General reading comprehension; policies; documents held out for validation."""


@dataclass(slots=True, kw_only=True)
class Group:
    """One question with candidate texts, as places in the table."""

    question: str
    """As a person asks it; of the source `support`, a statement."""
    right: list[int]
    """Texts that answer; empty where nothing does."""
    partly: list[int]
    """Texts that answer in part, or belong to the answer."""
    wrong: list[int]
    """Other texts of the document; once ordered, the nearest ones first."""
    grain: Grain
    """What the texts are."""
    source: str
    """Where the question is from; ends in `-none` where nothing answers."""
    split: Split
    """What it is for."""


class GroupTable:
    """Groups over one table of texts, each text once."""

    def __init__(self, texts: Iterable[str] = (), groups: Iterable[Group] = ()) -> None:
        """Begin with what is there."""
        self.texts = list(texts)
        self.groups = list(groups)
        self._known = {text: place for place, text in enumerate(self.texts)}
        self._random = random.Random(7)

    def place(self, text: str) -> int:
        """Return where a text stands in the table; it is put there if it is new."""
        text = " ".join(text.split())[:MOST_CHARACTERS]
        if text not in self._known:
            self._known[text] = len(self.texts)
            self.texts.append(text)
        return self._known[text]

    def add(
        self,
        question: str,
        right: Sequence[str],
        wrong: Sequence[str],
        *,
        source: str,
        split: Split,
        grain: Grain,
        partly: Sequence[str] = (),
    ) -> None:
        """Add a group, unless it has nothing to tell apart. A text counts as the best it is."""
        good = list(dict.fromkeys(map(self.place, right)))
        some = [t for t in dict.fromkeys(map(self.place, partly)) if t not in good]
        bad = [t for t in dict.fromkeys(map(self.place, wrong)) if t not in {*good, *some}]
        if len(bad) > MOST_WRONG and split != "v":
            bad = self._random.sample(bad, MOST_WRONG)
        if bad and (good or source.endswith("-none")):
            self.groups.append(
                Group(
                    question=" ".join(question.split()),
                    right=good,
                    partly=some,
                    wrong=bad,
                    grain=grain,
                    source=source,
                    split=split,
                )
            )

    @classmethod
    def read(cls, path: Path) -> "GroupTable":
        """Read a file of groups."""
        with gzip.open(path, "rt") as file:
            held = json.load(file)
        groups = [
            Group(
                question=one["q"],
                right=one["p"],
                partly=one["s"],
                wrong=one["n"],
                grain=one["g"],
                source=one["src"],
                split=one["split"],
            )
            for one in held["groups"]
        ]
        return cls(held["texts"], groups)

    def write(self, path: Path) -> None:
        """Write a file of groups."""
        groups = [
            {
                "q": one.question,
                "p": one.right,
                "s": one.partly,
                "n": one.wrong,
                "g": one.grain,
                "src": one.source,
                "split": one.split,
            }
            for one in self.groups
        ]
        with gzip.open(path, "wt", compresslevel=3) as file:
            json.dump({"texts": self.texts, "groups": groups}, file)
