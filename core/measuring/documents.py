"""Measure answers on documents of other people, each question asked of its own document alone.

A question set is JSON lines: `document`, `question`, `expected_outcome` (`answered` or `refused`)
and `gold_quotes`, the sentences that answer. Whether a citation is one of them is decided letter by
letter, whatever the markup, the line breaks and the point at which a sentence was cut.
"""

import re
import unicodedata
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from core.domain.answer import Answer, Outcome
from core.measuring.answers import CLOSEST, labelled_lines, percentile

SHARED = 24
"""Letters and figures in a row that a quote and a gold sentence share before they count as common:
about four words. A shorter sentence has to be there whole."""
ENOUGH = 0.5
"""Share of a gold sentence that has to be in the quotes."""

_NAME_LENGTH = 40
"""Characters of a document's name in the table."""

_MARKUP = re.compile(r"<(?!https?:)[^<>]{0,200}>|\{[{%][^{}]{0,200}[}%]\}|\[\^[^\[\]]{1,20}\]")
_LINK = re.compile(
    r"!?\[([^\[\]]{0,300})\](?:\([^()\s]{0,500}(?: \"[^\"]{0,200}\")?\)|\[[^\[\]]*\])"
)
_LIST_MARKER = re.compile(
    r"^[\s>|]{0,40}(?:[-*+•]|\(?(?:\d{1,3}|[a-z]|[ivx]{1,5})[.)])\s", re.MULTILINE
)
_NOT_SAID = re.compile(r"[\W_]+")


class Ending(StrEnum):
    """What became of a question, beside what was right."""

    RIGHT = "answered right"
    WRONG = "answered wrong"
    CLOSEST_RIGHT = "closest passage right"
    CLOSEST_OTHER = "closest passage other"
    DECLINED = "declined"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentQuestion:
    """One question about one document."""

    id: str
    """Identity in its file."""
    document: str
    """The document's path, from the folder of documents."""
    question: str
    """As typed."""
    is_answerable: bool
    """True if the document answers."""
    gold: tuple[str, ...]
    """Sentences that answer, the most direct first; empty if it does not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedQuestion:
    """One question answered."""

    question: DocumentQuestion
    """The question."""
    ending: Ending
    """What became of it."""
    outcome: str
    """Value of `Outcome`."""
    refusal: str | None
    """Value of `RefusalKind`; None if it was not refused."""
    badge: str | None
    """Value of `Badge`; None without an answer."""
    calibrated: float | None
    """Probability that the answer is right, as the product gives it; None without an answer."""
    features: Mapping[str, float]
    """What it was computed from."""
    text: str
    """What would be shown."""
    quotes: tuple[str, ...]
    """What it cites."""
    took_ms: float
    """Time of the run."""

    @property
    def is_right(self) -> bool:
        """True if it was answered with the right quote, or rightly not answered."""
        if self.question.is_answerable:
            return self.ending is Ending.RIGHT
        return self.ending not in {Ending.WRONG, Ending.FAILED}


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """How many of some questions ended how."""

    answerable: int
    """Questions that their document answers."""
    right: int
    """Of them: answered with the right quote."""
    wrong: int
    """Of them: answered with another one."""
    closest_right: int
    """Of them: not answered, but the closest passage shown is right."""
    closest_other: int
    """Of them: not answered, and the closest passage shown is another one."""
    unanswerable: int
    """Questions that their document does not answer."""
    declined: int
    """Of them: not answered, the closest passage shown or not."""

    @property
    def found(self) -> int:
        """Answerable questions whose answer is shown, as the answer or as the closest passage."""
        return self.right + self.closest_right


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentsReport:
    """The figures."""

    asked: tuple[AskedQuestion, ...]
    """Every question, in order."""

    def counts(self, document: str | None = None) -> Counts:
        """Return the counts of one document; None: of all."""
        asked = [one for one in self.asked if document in {None, one.question.document}]
        answerable = [one.ending for one in asked if one.question.is_answerable]
        others = [one for one in asked if not one.question.is_answerable]
        return Counts(
            answerable=len(answerable),
            right=answerable.count(Ending.RIGHT),
            wrong=answerable.count(Ending.WRONG),
            closest_right=answerable.count(Ending.CLOSEST_RIGHT),
            closest_other=answerable.count(Ending.CLOSEST_OTHER),
            unanswerable=len(others),
            declined=sum(one.is_right for one in others),
        )

    def documents(self) -> list[str]:
        """Return the documents, in the order in which they were asked of."""
        return list(dict.fromkeys(one.question.document for one in self.asked))

    def badges(self) -> dict[str, tuple[int, int]]:
        """Return (right, all) of the answers with each badge."""
        shown = [one for one in self.asked if one.badge and one.outcome == Outcome.ANSWERED]
        return {
            badge: (
                sum(one.is_right for one in shown if one.badge == badge),
                sum(one.badge == badge for one in shown),
            )
            for badge in ("high", "medium", "low")
        }

    def is_whole(self) -> bool:
        """Say whether every question could be asked."""
        return all(one.ending is not Ending.FAILED for one in self.asked)

    def latency_ms(self, share: float) -> float:
        """Return the time that `share` (in [0, 1]) of all runs do not exceed (nearest rank)."""
        return percentile([one.took_ms for one in self.asked], share)


AskOne = Callable[[DocumentQuestion], Awaitable[AskedQuestion]]
"""Asks a question of its document."""


def load_document_questions(path: Path) -> list[DocumentQuestion]:
    """Read a question set.

    Raises:
        UsageError: The file can't be read, or a line is not such a question.
    """
    return labelled_lines(path, _question, named="a question of a document")


def _question(data: Mapping[str, Any], number: int) -> DocumentQuestion:
    expected, gold = data["expected_outcome"], tuple(data["gold_quotes"])
    if expected not in {"answered", "refused"}:
        raise ValueError(f"expected answered or refused, got {expected!r}")
    if (expected == "answered") != bool(gold):
        raise ValueError("an answerable question needs gold_quotes, another one has none")
    if not all(isinstance(text, str) for text in (data["document"], data["question"], *gold)):
        raise TypeError("document, question and gold_quotes are texts")
    if not all(_words(quote) for quote in gold):
        raise ValueError("a gold quote without a letter")
    return DocumentQuestion(
        id=str(data.get("id", number)),
        document=data["document"],
        question=data["question"],
        is_answerable=expected == "answered",
        gold=gold,
    )


def spread(questions: Sequence[DocumentQuestion], limit: int | None) -> list[DocumentQuestion]:
    """Return `limit` questions from all over the file, always the same; None: all of them."""
    if limit is None or limit >= len(questions):
        return list(questions)
    return [questions[place * len(questions) // limit] for place in range(limit)]


def has_gold(quotes: Iterable[str], gold: Sequence[str]) -> bool:
    """Say whether quotes hold one of the gold sentences, or what stands in one of them.

    A quote may be longer than the sentence, a sentence may be cut into several quotes, and a quote
    may be a part of it. A sentence with figures is not held by what it shares with another rule
    before the figure ("Level 1 is answered within 24 hours"): one of its figures must be there too.
    """
    said = [_words(quote) for quote in quotes]
    return any(_holds(said, _words(sentence)) for sentence in gold)


def _holds(quotes: Sequence[str], gold: str) -> bool:
    """Say whether quotes hold a sentence, both as `_words` gives them."""
    if any(f" {gold} " in f" {quote} " for quote in quotes):
        return True
    letters = gold.replace(" ", "")
    return len(letters) >= SHARED and _is_shared(
        [quote.replace(" ", "") for quote in quotes], letters
    )


def _is_shared(quotes: Sequence[str], gold: str) -> bool:
    """Compare without spaces: a word may be broken at the end of a line."""
    if any(gold in quote or (len(quote) >= SHARED and quote in gold) for quote in quotes):
        return True
    is_common = bytearray(len(gold))
    for quote in quotes:
        runs = {quote[start : start + SHARED] for start in range(len(quote) - SHARED + 1)}
        for start in range(len(gold) - SHARED + 1):
            if gold[start : start + SHARED] in runs:
                is_common[start : start + SHARED] = b"\1" * SHARED
    if sum(is_common) < ENOUGH * len(gold):
        return False
    figures = [place for place, letter in enumerate(gold) if letter.isdigit()]
    return not figures or any(is_common[place] for place in figures)


def _words(text: str) -> str:
    """Return words and figures of a text alone, a space between them, markup left out."""
    text = unicodedata.normalize("NFKC", text)
    text = _LIST_MARKER.sub(" ", _LINK.sub(r" \1 ", _MARKUP.sub(" ", text)))
    return _NOT_SAID.sub(" ", text).strip().casefold()


def ending_of(question: DocumentQuestion, answer: Answer) -> Ending:
    """Say what became of a question."""
    is_gold = has_gold((citation.quote for citation in answer.citations), question.gold)
    if answer.outcome is Outcome.ANSWERED:
        return Ending.RIGHT if is_gold else Ending.WRONG
    if answer.outcome in {Outcome.FAILED, Outcome.IGNORED}:
        return Ending.FAILED
    if answer.refusal is not None and str(answer.refusal) == CLOSEST:
        return Ending.CLOSEST_RIGHT if is_gold else Ending.CLOSEST_OTHER
    return Ending.DECLINED


def asked_of(question: DocumentQuestion, answer: Answer, *, took_ms: float) -> AskedQuestion:
    """Return what became of a question, with what explains it."""
    return AskedQuestion(
        question=question,
        ending=ending_of(question, answer),
        outcome=answer.outcome.value,
        refusal=str(answer.refusal) if answer.refusal else None,
        badge=answer.confidence.badge.value if answer.confidence.badge else None,
        calibrated=answer.confidence.calibrated,
        features=dict(answer.confidence.features),
        text=answer.text,
        quotes=tuple(citation.quote for citation in answer.citations),
        took_ms=took_ms,
    )


def documents_lines(report: DocumentsReport) -> list[str]:
    """Return the report for people."""
    all_of_them = report.counts()
    width = max((len(_name(name)) for name in report.documents()), default=0)
    head = f"{'':{width}}  right  wrong  closest    of  declined"
    rows = [f"{_name(name):{width}}  {_row(report.counts(name))}" for name in report.documents()]
    median, slow = report.latency_ms(0.5), report.latency_ms(0.95)
    badges = ", ".join(f"{name} {_of(*counts)}" for name, counts in report.badges().items())
    return [
        head,
        *rows,
        "",
        f"right quote       {_of(all_of_them.right, all_of_them.answerable)}",
        f"wrong             {_of(all_of_them.wrong, all_of_them.answerable)}",
        f"right or closest  {_of(all_of_them.found, all_of_them.answerable)}",
        f"not answerable    {_of(all_of_them.declined, all_of_them.unanswerable)} declined",
        f"right by badge    {badges}",
        f"time              p50 {median:.0f} ms, p95 {slow:.0f} ms",
    ]


def documents_json(report: DocumentsReport) -> dict[str, object]:
    """Return the report for programs, every question with what was shown."""
    return {
        **_counts_json(report.counts()),
        "badges": report.badges(),
        "p50_ms": report.latency_ms(0.5),
        "p95_ms": report.latency_ms(0.95),
        "documents": {name: _counts_json(report.counts(name)) for name in report.documents()},
        "questions": [
            {
                "id": one.question.id,
                "document": one.question.document,
                "question": one.question.question,
                "is_answerable": one.question.is_answerable,
                "gold": one.question.gold,
                "ending": one.ending.value,
                "is_right": one.is_right,
                "outcome": one.outcome,
                "refusal": one.refusal,
                "badge": one.badge,
                "calibrated": one.calibrated,
                "features": one.features,
                "text": one.text,
                "quotes": one.quotes,
                "took_ms": one.took_ms,
            }
            for one in report.asked
        ],
    }


def _counts_json(counts: Counts) -> dict[str, object]:
    return {
        "answerable": counts.answerable,
        "right": counts.right,
        "wrong": counts.wrong,
        "closest_right": counts.closest_right,
        "closest_other": counts.closest_other,
        "right_or_closest": counts.found,
        "unanswerable": counts.unanswerable,
        "declined": counts.declined,
    }


def _row(counts: Counts) -> str:
    return (
        f"{counts.right:>5}  {counts.wrong:>5}  {counts.closest_right:>7}  {counts.answerable:>4}"
        f"  {counts.declined} of {counts.unanswerable}"
    )


def _of(part: int, whole: int) -> str:
    return f"{part} of {whole} ({part / whole:.1%})" if whole else f"{part} of 0"


def _name(document: str) -> str:
    name = "/".join(Path(document).parts[-2:])
    return name if len(name) <= _NAME_LENGTH else f"\u2026{name[1 - _NAME_LENGTH :]}"


def without_answer(question: DocumentQuestion, *, reason: str) -> AskedQuestion:
    """Return a question that could not be asked."""
    return AskedQuestion(
        question=question,
        ending=Ending.FAILED,
        outcome=Outcome.FAILED.value,
        refusal=None,
        badge=None,
        calibrated=None,
        features={},
        text=reason,
        quotes=(),
        took_ms=0.0,
    )
