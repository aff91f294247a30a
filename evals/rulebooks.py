"""Turn ObliQA's passages into publications, so that evaluation goes the product's own way.

Each document becomes a policy, each passage a section whose heading is its number. A passage of few
words that is no sentence is a heading: it has no text of its own, and its words lead the paths of
the sections that its number holds.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from typing import Any, Literal, TypeAlias, cast

from core.domain.errors import DocumentError
from core.domain.ontology import EntityKey, EntityType, ExtractedEntity, Extraction
from core.domain.policy import LoadedDocument, PolicyMetadata, Section
from core.ingest.chunk import cut_chunks
from core.language.spans import TextSpan
from core.ontology.extract.policy_index import (
    IndexedPolicy,
    IndexedSection,
    PolicyIndex,
    with_inferred_names,
)
from core.ontology.extract.policy_names import self_names
from core.ontology.extract.references import find_references
from core.ports import Publication

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


HEADING_WORDS = 12
"""A passage of at most this many words that does not end like a sentence is a heading."""

_SENTENCE_END = (".", ";", ":", ",", ")")
_TITLE = re.compile(r"\s*((?:[A-Z][A-Z'&,]*\s+){2,}(?:19|20)\d\d)\b")
_HOLDS = re.compile(r"[.(]")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Placed:
    """A passage with the section it becomes."""

    passage: Passage
    heading: str
    body: str
    holder: int | None
    """Place of the passage whose number holds this one's; None: outermost."""


def publications(passages: Sequence[Passage]) -> list[Publication]:
    """Return one publication a document, in order of the passages."""
    drafted = [
        _publication(document, list(group))
        for document, group in groupby(passages, key=lambda passage: passage.key.document)
    ]
    named = _index(drafted).policies
    return [_with_aliases(draft, named[draft.metadata.key].aliases) for draft in drafted]


def policy_key(document: int) -> str:
    """Return the policy key of a `DocumentID`."""
    return f"rulebook-{document}"


def passage_key(*, policy: str, number: str | None) -> PassageKey:
    """Return what the section of a policy is matched on."""
    return PassageKey(document=int(policy.removeprefix("rulebook-")), number=number or "")


def _publication(document: int, passages: Sequence[Passage]) -> Publication:
    placed = list(_place(passages))
    text, sections = _lay_out(placed)
    loaded = LoadedDocument(text=text, media_type="text/plain")
    key = policy_key(document)
    return Publication(
        metadata=PolicyMetadata(key=key, title=_title(document, passages)),
        source_name=f"{document}.json",
        original=json.dumps([passage.passage_id for passage in passages]).encode(),
        document=loaded,
        sections=sections,
        chunks=cut_chunks(loaded, sections, source_stem=key),
        extraction=Extraction(
            entities=(), relations=(), references=find_references(text, sections)
        ),
    )


def _index(drafted: Sequence[Publication]) -> PolicyIndex:
    """Return the documents by the names that they and the others give them."""
    own = PolicyIndex.of(
        IndexedPolicy(
            key=draft.metadata.key,
            title=draft.metadata.title,
            aliases=self_names(draft.document.text),
            sections=tuple(IndexedSection(eid=s.eid, number=s.number) for s in draft.sections),
        )
        for draft in drafted
    )
    mentions = [mention for draft in drafted for mention in draft.extraction.references]
    return with_inferred_names(own, mentions)


def _with_aliases(draft: Publication, aliases: tuple[str, ...]) -> Publication:
    """Let other documents refer to this one by its aliases."""
    first = draft.sections[0]
    policy = ExtractedEntity(
        key=EntityKey(f"policy:{draft.metadata.key}"),
        type=EntityType.POLICY,
        name=draft.metadata.title,
        aliases=aliases,
        spans=(TextSpan(char_start=first.char_start, char_end=first.body_start),),
    )
    return replace(draft, extraction=replace(draft.extraction, entities=(policy,)))


def _title(document: int, passages: Sequence[Passage]) -> str:
    """Return the title that opens the document, where one does (as the first passage's number)."""
    opening = _TITLE.match(f"{passages[0].key.number} ")
    return opening[1].title() if opening else f"Rulebook {document}"


def _place(passages: Sequence[Passage]) -> Iterator[_Placed]:
    """Yield passages with their headings, bodies and holders."""
    seen: dict[str, int] = {}
    for place, passage in enumerate(passages):
        number = passage.key.number
        is_heading = _is_heading(passage.text)
        yield _Placed(
            passage=passage,
            heading=f"{number} {passage.text}".strip() if is_heading else number,
            body="" if is_heading else passage.text,
            holder=_holder(number, seen),
        )
        seen.setdefault(number.rstrip("."), place)


def _is_heading(text: str) -> bool:
    return len(text.split()) <= HEADING_WORDS and not text.endswith(_SENTENCE_END)


def _holder(number: str, seen: Mapping[str, int]) -> int | None:
    """Return the place of the nearest passage whose number is a beginning of `number`."""
    ends = [match.start() for match in _HOLDS.finditer(number)]
    for end in reversed(ends):
        held = seen.get(number[:end].rstrip("."))
        if held is not None and number[:end].rstrip(".") != number.rstrip("."):
            return held
    return None


def _lay_out(placed: Sequence[_Placed]) -> tuple[str, tuple[Section, ...]]:
    """Write the document's text and its sections."""
    pieces: list[str] = []
    sections: list[Section] = []
    taken: set[str] = set()
    offset = 0
    for ordinal, item in enumerate(placed):
        heading, body = f"{item.heading}\n", f"{item.body}\n\n" if item.body else ""
        holder = sections[item.holder] if item.holder is not None else None
        end = offset + len(heading) + len(body)
        sections.append(
            Section(
                eid=_eid(item.passage.key.number, holder, taken),
                number=item.passage.key.number,
                title=item.heading.removeprefix(item.passage.key.number).strip(),
                path=(*(holder.path if holder else ()), item.heading),
                level=holder.level + 1 if holder else 1,
                ordinal=ordinal,
                char_start=offset,
                body_start=offset + len(heading),
                char_end=end,
                page=None,
            )
        )
        pieces += [heading, body]
        offset = end
    return "".join(pieces), tuple(sections)


def _eid(number: str, holder: Section | None, taken: set[str]) -> str:
    own = "sec_" + re.sub(r"[^0-9A-Za-z.]+", "-", number).strip("-.")
    eid = f"{holder.eid}__{own}" if holder else own
    count = 1
    unique = eid
    while unique in taken:
        count += 1
        unique = f"{eid}-{count}"
    taken.add(unique)
    return unique
