import json
from pathlib import Path

import pytest

from core.domain.errors import DocumentError
from evals.rulebooks import (
    Passage,
    PassageKey,
    passage_key,
    policy_key,
    publications,
    read_passages,
    read_questions,
)


def _passage(number: str, text: str, *, document: int = 1) -> Passage:
    return Passage(
        passage_id=f"{document}/{number}",
        key=PassageKey(document=document, number=number),
        text=text,
    )


RULEBOOK = [
    _passage("1.", "INTRODUCTION"),
    _passage("1.1", ""),
    _passage("1.1.(1)", "A Relevant Person must keep records, subject to Rule 1.1(2)."),
    _passage("1.1.(2)", "Records are kept for six years."),
    _passage("1.1.(2)", "A second passage of the same number."),
]


def test_passages_are_read_by_document(tmp_path: Path) -> None:
    """Documents come in the order of their numbers, texts without white space at their ends."""
    for number in (10, 2):
        record = {"ID": f"x{number}", "DocumentID": number, "PassageID": "1.", "Passage": " a \n"}
        (tmp_path / f"{number}.json").write_text(json.dumps([record]))
    assert [(p.key.document, p.text) for p in read_passages(tmp_path)] == [(2, "a"), (10, "a")]


def test_questions_of_both_sets(tmp_path: Path) -> None:
    """ObliQA's gold is named by document and number, XRefRAG's by id."""
    obliqa = tmp_path / "dev.json"
    gold = [{"DocumentID": 1, "PassageID": "1.1.(2)", "Passage": "..."}]
    obliqa.write_text(json.dumps([{"QuestionID": "q", "Question": "How?", "Passages": gold}]))
    (question,) = read_questions(obliqa, "obliqa", RULEBOOK)
    assert question.gold == {PassageKey(document=1, number="1.1.(2)")}
    xref = tmp_path / "dev.jsonl"
    line = {"id": "x", "question": "How?"}
    line |= {"source_passage_id": "1/1.1.(1)", "target_passage_id": "1/1.1.(2)"}
    xref.write_text(json.dumps(line) + "\n")
    (question,) = read_questions(xref, "xref", RULEBOOK)
    assert {key.number for key in question.gold} == {"1.1.(1)", "1.1.(2)"}


@pytest.mark.parametrize("content", ["{", "{}", '[{"QuestionID": "q"}]'])
def test_other_files_are_named(tmp_path: Path, content: str) -> None:
    """A file of another shape is an error that names the file."""
    path = tmp_path / "dev.json"
    path.write_text(content)
    with pytest.raises(DocumentError, match=r"dev\.json"):
        read_questions(path, "obliqa", RULEBOOK)
    with pytest.raises(DocumentError, match="no"):
        read_passages(tmp_path / "empty")


def test_a_document_becomes_sections_and_chunks() -> None:
    """Headings have no chunk, every other passage has its own, and paths lead through headings."""
    (publication,) = publications(RULEBOOK)
    sections = publication.sections
    text = publication.document.text
    assert [chunk.section_ordinal for chunk in publication.chunks] == [2, 3, 4]
    assert sections[2].path == ("1. INTRODUCTION", "1.1", "1.1.(1)")
    assert len({section.eid for section in sections}) == len(sections)
    assert "".join(text[s.char_start : s.char_end] for s in sections) == text
    assert all(text[c.char_start : c.char_end] == c.text for c in publication.chunks)
    assert [reference.number for reference in publication.extraction.references] == ["1.1(2)"]


def test_sections_lead_back_to_passages() -> None:
    """Policy and number of a section give the passage's key."""
    key = PassageKey(document=7, number="1.1.(2)")
    assert passage_key(policy=policy_key(7), number="1.1.(2)") == key
