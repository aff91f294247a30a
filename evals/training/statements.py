"""Statements with what they cite, drawn as contrast sets: what a guard is trained on.

Three kinds of sets: what was written about one text, supported and not; a written statement with
changes of it (`contrasts`); a sentence of a policy, reworded, with changes of it.
"""

import json
import random
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tokenizers import Tokenizer

from core.grounding.support import guard_texts
from evals.statements import LabelledStatement
from evals.training.contrasts import Contrast, contrast_set
from evals.training.sampling import STEP_TOKENS, Choice, Row, packed
from evals.training.written import Document

SHARES: Mapping[str, float] = {"written": 0.55, "changed": 0.27, "sentences": 0.18}
"""Of the tokens, by kind of set."""
CLAIM_TOKENS, PAIR_TOKENS = 72, 150
SHOWN = 5
"""Statements of a written set."""
UNHEADED, SHORT = 0.2, 0.2
"""Shares of texts that are shown without headings, and with the innermost alone."""
_RULE = re.compile(
    r"\b(?:must|may|shall|should|will|not|can|only|never|within|before|after|unless|required"
    r"|prohibited|allowed|no)\b|\d",
    re.IGNORECASE,
)
_DENIES = re.compile(r"\b(?:not|never|avoid|prohibited|except)\b", re.IGNORECASE)
_MARK = re.compile(r"^(?:[-*•]|\(?\w{1,3}[.)])\s+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentence:
    """A sentence of a policy that says a rule."""

    text: str
    lead: str | None
    """What introduces it, if it is a list item."""
    path: tuple[str, ...]
    near: str
    """Another sentence of the document, of the same place."""


def sentences_of(documents: Iterable[Document]) -> list[Sentence]:
    """Return the sentences of documents (by `policies`) that are worth changing."""
    found: list[Sentence] = []
    for document in documents:
        units = document["units"]
        for place, unit in enumerate(units):
            text = unit["text"]
            is_prose = not unit["head"] and not text.endswith("?") and "|" not in text
            if not (is_prose and 7 <= len(text.split()) <= 45 and _RULE.search(text)):
                continue
            near = units[place - 1 if place else min(1, len(units) - 1)]["text"]
            path = tuple(unit["path"])
            found.append(Sentence(text=text, lead=unit["lead"], path=path, near=near))
    return found


def documents_at(path: Path) -> list[Document]:
    """Read a file by `policies`."""
    with path.open() as file:
        return [json.loads(line) for line in file]


class StatementSampler:
    """Draws contrast sets without end."""

    def __init__(
        self,
        statements: Iterable[LabelledStatement],
        sentences: Sequence[Sentence],
        tokenizer: Tokenizer,
        *,
        seed: int,
    ) -> None:
        """Take what was written, at least one supported statement, and sentences, at least one."""
        self.random = random.Random(seed)
        sets: dict[tuple[str, ...], list[LabelledStatement]] = {}
        for one in statements:
            sets.setdefault(one.sources, []).append(one)
        self._sets = list(sets.values())
        self._supported = [one for some in self._sets for one in some if one.supported]
        self._sentences = sentences
        self._tokenizer = tokenizer
        self._ids: dict[str, Sequence[int]] = {}

    def steps(self, count: int) -> list[list[Choice]]:
        """Return about so many steps, sets of like length together."""
        draws = {"written": self._written, "changed": self._changed, "sentences": self._sentence}
        choices: list[Choice] = []
        for kind, share in SHARES.items():
            left = share * count * STEP_TOKENS
            while left > 0:
                rows = draws[kind]()
                choices.append(Choice(grain="s", rows=tuple(rows)))
                left -= sum(row.width for row in rows)
        return packed(choices, self.random)

    def _written(self) -> list[Row]:
        held = self.random.choice(self._sets)
        rows = [
            self._row(one.claim, " ".join(one.sources), one.titles, target=float(one.supported))
            for one in self.random.sample(held, min(SHOWN, len(held)))
        ]
        right = [one for one in held if one.supported]
        other = self.random.choice(self._sets)[0]
        if right and other.sources != held[0].sources and self.random.random() < 0.25:
            claim = self.random.choice(right).claim
            rows.append(self._row(claim, " ".join(other.sources), other.titles, target=0.0))
        return rows

    def _changed(self) -> list[Row]:
        one = self.random.choice(self._supported)
        found = contrast_set(one.claim, " ".join(one.sources), self.random, is_written=True)
        return [self._contrast(each, one.titles) for each in found]

    def _sentence(self) -> list[Row]:
        one = self.random.choice(self._sentences)
        claim = _MARK.sub("", one.text)
        # A list item that its lead-in turns into a prohibition says nothing alone.
        if one.lead and (_DENIES.search(one.lead) or self.random.random() < 0.5):
            claim = f"{one.lead.rstrip(':')} {claim}"
        text = f"{one.lead} {one.text}" if one.lead else one.text
        found = contrast_set(claim, text, self.random, is_written=False)
        rows = [self._contrast(each, one.path) for each in found]
        if self.random.random() < 0.3 and len(one.near.split()) > 5:
            rows.append(self._row(claim, one.near, one.path, target=0.0))
        return rows

    def _contrast(self, one: Contrast, titles: Sequence[str]) -> Row:
        return self._row(one.claim, one.text, titles, target=float(one.is_supported))

    def _row(self, claim: str, text: str, titles: Sequence[str], *, target: float) -> Row:
        drawn = self.random.random()
        if drawn >= UNHEADED:
            shown = titles[-1:] if drawn >= 1 - SHORT else titles
            text = guard_texts([text], shown)[0]
        said = self._encoded(claim)[:CLAIM_TOKENS]
        room = max(20, PAIR_TOKENS - len(said))
        return Row(question=said, text=self._encoded(text)[:room], target=target)

    def _encoded(self, text: str) -> Sequence[int]:
        if text not in self._ids:
            self._ids[text] = self._tokenizer.encode(text, add_special_tokens=False).ids
        return self._ids[text]
