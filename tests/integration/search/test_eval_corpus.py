import json
from pathlib import Path

import pytest
from sqlalchemy import text

from core.adapters.postgres.engine.database import engine_for
from core.domain.errors import UsageError
from core.ports import Reader
from evals import retrieval_corpus
from evals.retrieval import RetrievalReport, report_lines
from evals.retrieval_corpus import evaluate_retrieval
from tests.fakes import ScriptedReader


@pytest.fixture
def documents(tmp_path: Path) -> Path:
    """Two small rulebooks."""
    folder = tmp_path / "documents"
    folder.mkdir()
    texts = {
        1: ["INTRODUCTION", "A bank must keep records as Rule 3 says.", "Six years are the term."],
        2: ["GIFTS", "A gift must be declined by every employee.", "A loan is not a gift."],
    }
    for number, passages in texts.items():
        records = [
            {"ID": f"{number}-{n}", "DocumentID": number, "PassageID": str(n), "Passage": passage}
            for n, passage in enumerate(passages, start=1)
        ]
        (folder / f"{number}.json").write_text(json.dumps(records))
    return folder


async def _evaluate(
    url: str,
    documents: Path,
    told: list[str],
    limit: int | None = None,
    *,
    reader: Reader | None = None,
) -> RetrievalReport:
    questions = documents.parent / "dev.jsonl"
    line = {"id": "x", "question": "Which records must a bank keep?"}
    line |= {"source_passage_id": "1-2", "target_passage_id": "1-3"}
    questions.write_text(json.dumps(line))
    return await evaluate_retrieval(
        url,
        dataset="xref",
        documents=documents,
        questions=questions,
        limit=limit,
        lexical_only=True,
        embedder=None,
        reader=reader,
        progress=told.append,
    )


async def test_corpus_is_built_once_and_measured(
    database_url: str, documents: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Words find one of two gold passages, a pack holds both; a second run builds nothing."""
    first: list[str] = []
    second: list[str] = []
    # Whatever an earlier session built is another corpus.
    monkeypatch.setattr(retrieval_corpus, "INDEX_VERSION", database_url)
    report = await _evaluate(database_url, documents, first)
    assert (report.chunks, report.recall, report.pack_both) == (4, 0.5, 1.0)
    assert any("document 2 of 2" in line for line in first)
    assert await _evaluate(database_url, documents, second) is not None
    assert not any("document" in line for line in second)
    assert report_lines(report)[1:3] == ["recall@10    0.500", "map@10       0.500"]


async def test_a_reader_orders_what_is_measured(
    database_url: str, documents: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The gold passage comes first where the reader says so, and the report names the reader."""
    monkeypatch.setattr(retrieval_corpus, "INDEX_VERSION", database_url)
    told: list[str] = []
    without = await _evaluate(database_url, documents, told)
    doubted = ScriptedReader({"A bank must keep": -9.0, "": 3.0})
    report = await _evaluate(database_url, documents, told, reader=doubted)
    assert (without.reader, report.reader) == (None, "test:scripted-reader")
    assert report.recall == without.recall
    assert report_lines(report)[0].endswith("words alone, test:scripted-reader")
    assert doubted.asked[-1][0] == "Which records must a bank keep?"


async def test_an_interrupted_build_is_finished(
    database_url: str, documents: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Documents that were stored are kept, the missing one is added."""
    monkeypatch.setattr(retrieval_corpus, "INDEX_VERSION", database_url)

    class StoppedError(Exception):
        """The process was stopped."""

    class Teller(list[str]):
        def append(self, line: str, /) -> None:
            if "document 2 of 2" in line:
                raise StoppedError

    with pytest.raises(StoppedError):
        await _evaluate(database_url, documents, Teller())
    told: list[str] = []
    report = await _evaluate(database_url, documents, told)
    assert report.chunks == 4
    assert not any("document 1 of 2" in line for line in told)


async def test_no_question_is_an_error(database_url: str, documents: Path) -> None:
    """A limit of nothing is refused before any database is made."""
    with pytest.raises(UsageError, match="no questions"):
        await _evaluate(database_url, documents, [], limit=0)
    engine = engine_for(database_url, pooled=False)
    async with engine.connect() as connection:
        assert await connection.scalar(text("SELECT count(*) FROM citebound.policies")) == 0
    await engine.dispose()
