"""Put all that is trained on into one file of groups, and all that is measured into one of pairs.

    python -m evals.training.prepare MIRROR WORK GROUPS.json.gz PAIRS.json.gz

MIRROR holds clones of the open sources. WORK holds `docs.jsonl` and `docs2.jsonl` (by `policies`),
`obliqa_dev.jsonl` (by `retrieved`), and the folders `questions`, `questions2`, `statements` and
`statements2`; statements to train on go to `statements.jsonl` there.

Pairs: ``asked`` and ``texts``, tables; ``pairs``, indices into both; ``sets``: `v` questions on
held-out documents, every text of the document a candidate, `o` the second half of ObliQA dev, `u`
statements on held-out documents.
"""

import gzip
import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from core.grounding.support import guard_texts
from core.language.reader_text import reader_text
from evals.statements import LabelledStatement
from evals.training.groups import GroupTable
from evals.training.open_sources import SOURCES
from evals.training.written import (
    HELD_OUT,
    Document,
    add_questions,
    lines_of,
    statements_of,
)


def obliqa(table: GroupTable, rows: list[dict[str, Any]]) -> None:
    """Add ObliQA (Apache-2.0), with what the product finds besides as wrong texts."""
    for row in rows:
        gold = {tuple(key) for key in row["gold"]}
        sides: dict[bool, list[str]] = {True: [], False: []}
        for hit in row["hits"]:
            sides[(hit["d"], hit["n"]) in gold].append(_text_of(hit))
        table.add(row["q"], sides[True], sides[False], source="obliqa", split=2, grain="p")


def _text_of(hit: dict[str, Any]) -> str:
    return reader_text(hit["ptitle"], hit["path"], hit["text"])


def written(table: GroupTable, work: Path) -> list[LabelledStatement]:
    """Add the questions that were written, and return the statements that are held out.

    The others go to `statements.jsonl`, as `train_guard` takes them.
    """
    held: list[LabelledStatement] = []
    kept: list[LabelledStatement] = []
    for named, folder in (("docs", "questions"), ("docs2", "questions2")):
        documents = _lines(work / f"{named}.jsonl")
        for number, line in lines_of(work / folder, "*.txt"):
            is_held = named == "docs" and number in HELD_OUT
            add_questions(table, documents[number], line, split="v" if is_held else 2)
    for named, folder in (("docs", "statements"), ("docs2", "statements2")):
        documents = _lines(work / f"{named}.jsonl")
        for number, line in lines_of(work / folder, "*.txt"):
            is_held = named == "docs" and number in HELD_OUT
            (held if is_held else kept).extend(statements_of(documents[number], line))
    with (work / "statements.jsonl").open("w") as file:
        for one in kept:
            file.write(f"{json.dumps(_as_json(one))}\n")
    return held


def _as_json(one: LabelledStatement) -> dict[str, object]:
    """Return a statement as `load_statements` reads it."""
    return {
        "claim": one.claim,
        "sources": one.sources,
        "supported": one.supported,
        "kind": one.kind,
        "heading": one.titles,
    }


def _lines(path: Path) -> list[Document]:
    with path.open() as file:
        return [json.loads(line) for line in file]


class PairTable:
    """Pairs of a question and a text, each once."""

    def __init__(self) -> None:
        """Begin with none."""
        self.asked: dict[str, int] = {}
        self.texts: dict[str, int] = {}
        self.pairs: dict[tuple[int, int], int] = {}

    def pair(self, question: str, text: str) -> int:
        """Return the number of a pair."""
        asked = self.asked.setdefault(question, len(self.asked))
        read = self.texts.setdefault(text, len(self.texts))
        return self.pairs.setdefault((asked, read), len(self.pairs))


def pairs_of(
    table: GroupTable, rows: list[dict[str, Any]], held: list[LabelledStatement]
) -> dict[str, object]:
    """Return what is measured."""
    found = PairTable()
    validation: list[dict[str, object]] = []
    for group in table.groups:
        if group.split == "v":
            sides = {"p": group.right, "s": group.partly, "n": group.wrong}
            pairs = {
                name: [found.pair(group.question, table.texts[place]) for place in places]
                for name, places in sides.items()
            }
            is_none = group.source.endswith("-none")
            validation.append({**pairs, "q": group.question, "g": group.grain, "none": is_none})
    reranked = [
        {
            "gold": row["gold"],
            "hits": [
                {"k": [hit["d"], hit["n"]], "pair": found.pair(row["q"], _text_of(hit))}
                for hit in row["hits"]
            ],
        }
        for row in rows
    ]
    statements = [
        {
            "pair": found.pair(one.claim, guard_texts(one.sources, one.titles)[0]),
            "ok": one.supported,
            "kind": one.kind,
        }
        for one in held
    ]
    return {
        "asked": list(found.asked),
        "texts": list(found.texts),
        "pairs": list(found.pairs),
        "sets": {"v": validation, "o": reranked, "u": statements},
    }


def main(mirror: Path, work: Path, groups: Path, pairs: Path) -> None:
    """Prepare everything."""
    table = GroupTable()
    for source in SOURCES:
        source(table, mirror)
        print(source.__name__, len(table.groups), flush=True)
    rows = _lines(work / "obliqa_dev.jsonl")
    half = len(rows) // 2
    obliqa(table, rows[:half])
    held = written(table, work)
    for key, count in sorted(Counter((str(g.split), g.source) for g in table.groups).items()):
        print(*key, count)
    table.write(groups)
    with gzip.open(pairs, "wt", compresslevel=3) as file:
        json.dump(pairs_of(table, rows[half:], held), file)


if __name__ == "__main__":
    main(*(Path(argument) for argument in sys.argv[1:]))
