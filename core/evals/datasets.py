"""Read published question sets: ObliQA (RegNLP/ObliQADataset) and XRefRAG (RegNLP/XRefRAG).

Both ask about the same rulebooks, which are split into passages. Passages are matched on
(`DocumentID`, `PassageID`): some ids occur twice, and then either passage counts.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias, cast

from core.domain.errors import DocumentError

Dataset: TypeAlias = Literal["obliqa", "xref"]
"""Which questions: with gold passages, or with two passages of which one refers to the other."""


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class PassageKey:
    """What a passage is matched on."""

    document: int
    """`DocumentID`."""
    number: str
    """`PassageID`, as printed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """One passage of a rulebook."""

    passage_id: str
    """`ID`, which XRefRAG names."""
    key: PassageKey
    """Document and number."""
    text: str
    """Without white space at its ends; empty for 720 of 13,732."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledQuestion:
    """A question and the passages that answer it."""

    question_id: str
    """Of the question set."""
    text: str
    """The question."""
    gold: frozenset[PassageKey]
    """All that is needed; for XRefRAG both linked passages."""


def read_passages(folder: Path) -> list[Passage]:
    """Read all documents of a folder, by `DocumentID`, passages in their order.

    Raises:
        DocumentError: There are none, or one is not of this shape.
    """
    files = sorted(folder.glob("*.json"), key=lambda path: (len(path.stem), path.stem))
    if not files:
        raise DocumentError(f"{folder} holds no *.json documents")
    return [_passage(path, record) for path in files for record in _records(path)]


def read_questions(
    path: Path, dataset: Dataset, passages: Sequence[Passage]
) -> list[LabelledQuestion]:
    """Read labelled questions, in the order of the file.

    Raises:
        DocumentError: The file is not of this shape, or names a passage that is not there.
    """
    known = {passage.passage_id: passage.key for passage in passages}
    try:
        if dataset == "obliqa":
            return [_obliqa_question(record) for record in _records(path)]
        return [_xref_question(record, known) for record in _lines(path)]
    except KeyError as error:
        raise DocumentError(f"{path.name} is no {dataset} file: {error!s} is missing") from error


def _obliqa_question(record: Mapping[str, Any]) -> LabelledQuestion:
    return LabelledQuestion(
        question_id=record["QuestionID"],
        text=record["Question"],
        gold=frozenset(
            PassageKey(document=int(gold["DocumentID"]), number=gold["PassageID"])
            for gold in record["Passages"]
        ),
    )


def _xref_question(record: Mapping[str, Any], known: Mapping[str, PassageKey]) -> LabelledQuestion:
    return LabelledQuestion(
        question_id=record["id"],
        text=record["question"],
        gold=frozenset({known[record["source_passage_id"]], known[record["target_passage_id"]]}),
    )


def _passage(path: Path, record: Mapping[str, Any]) -> Passage:
    try:
        return Passage(
            passage_id=record["ID"],
            key=PassageKey(document=int(record["DocumentID"]), number=record["PassageID"]),
            text=record["Passage"].strip(),
        )
    except KeyError as error:
        raise DocumentError(f"{path.name} is no ObliQA document: {error!s} is missing") from error


def _records(path: Path) -> list[Mapping[str, Any]]:
    try:
        loaded = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise DocumentError(f"{path} can't be read as JSON: {error}") from error
    if not isinstance(loaded, list):
        raise DocumentError(f"{path.name}: expected a JSON list, got {type(loaded).__name__}")
    return cast("list[Mapping[str, Any]]", loaded)


def _lines(path: Path) -> list[Mapping[str, Any]]:
    try:
        return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]
    except (OSError, ValueError) as error:
        raise DocumentError(f"{path} can't be read as JSON lines: {error}") from error
