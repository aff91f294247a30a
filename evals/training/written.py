"""Questions and statements that were written for this, on the documents of `policies`.

Questions, a file: ``@N`` names a document; every other line is ``RIGHT[;PARTLY]|question|...``,
with numbers of units, commas between them; ``-`` where nothing answers. Statements: ``UNITS|...``,
each statement ``+supported`` or ``-kind:not supported``.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from core.language.reader_text import reader_text
from evals.statements import LabelledStatement
from evals.training.groups import GroupTable, Split

HELD_OUT = frozenset({3, 17, 26, 31, 46, 48, 56, 61, 62, 83, 101})
"""Documents, by their place in the first file, whose questions are for validation alone."""
PASSAGE_WORDS = 140
FEW = 4
"""From so many right units on, they are a list of which each item answers."""

Document = dict[str, Any]
"""A line of `policies`."""


def packed_words(parts: Sequence[str], size: int = PASSAGE_WORDS) -> list[list[int]]:
    """Put consecutive parts into passages of at most `size` words, as places."""
    passages: list[list[int]] = []
    count = 0
    for place, part in enumerate(parts):
        words = len(part.split())
        if passages and count + words <= size:
            passages[-1].append(place)
            count += words
        else:
            passages.append([place])
            count = words
    return passages


def lines_of(folder: Path, pattern: str) -> Iterator[tuple[int, str]]:
    """Return each line with its document."""
    for path in sorted(folder.glob(pattern)):
        document: int | None = None
        for line in path.read_text().splitlines():
            if named := re.match(r"@(\d+)", line):
                document = int(named[1])
            elif line.strip() and document is not None:
                yield document, line.strip()


def title_of(document: Document) -> str:
    """Return the document's title; templates without one are named by their file."""
    if document["title"] in {"", "Purpose and Scope", "Appendices"}:
        return f"{document['doc'].split('/')[-1]} policy".capitalize()
    return re.sub(r"^(?:cp|github|\d\d) ", "", document["title"], flags=re.IGNORECASE).capitalize()


def add_questions(table: GroupTable, document: Document, line: str, *, split: Split) -> None:
    """Add the questions of a line, each with sentences and with passages.

    Raises:
        ValueError: The line is none.
    """
    gold, *asked = line.split("|")
    main, _, side = gold.partition(";")
    right = [] if main == "-" else [int(number) for number in main.split(",")]
    partly = [int(number) for number in side.split(",") if number]
    title, units = title_of(document), document["units"]
    texts = [reader_text(title, u["path"], u["text"], lead_in=u["lead"]) for u in units]
    usable = [n for n, u in enumerate(units) if not u["head"] and not u["text"].endswith("?")]
    passages = _passages(document)
    good = [text for members, text in passages if members & set(right)]
    some = [t for members, t in passages if members & set(partly) and t not in good]
    source = "written" if right else "written-none"
    for question in filter(None, map(str.strip, asked)):
        table.add(
            question,
            [texts[n] for n in (right if len(right) >= FEW else right[:1])],
            [texts[n] for n in usable if n not in {*right, *partly}],
            source=source,
            split=split,
            grain="s",
            partly=[texts[n] for n in (*right[1:], *partly)],
        )
        table.add(
            question,
            good[:2],
            [text for _, text in passages if text not in good and text not in some],
            source=source,
            split=split,
            grain="p",
            partly=[*good[2:], *some],
        )


def _passages(document: Document) -> list[tuple[set[int], str]]:
    """Return the passages of a document, each with the units that it holds."""
    units, sections = document["units"], defaultdict[str, list[int]](list)
    for number, unit in enumerate(units):
        sections[unit["section"]].append(number)
    passages: list[tuple[set[int], str]] = []
    for places in sections.values():
        for chosen in packed_words([units[n]["text"] for n in places]):
            held = [places[n] for n in chosen]
            body = " ".join(units[n]["text"] for n in held)
            path = units[held[0]]["path"]
            passages.append((set(held), reader_text(title_of(document), path, body)))
    return passages


def statements_of(document: Document, line: str) -> list[LabelledStatement]:
    """Return the statements of a line: what they cite, a lead-in before its item, and headings.

    Raises:
        ValueError: The line is none.
    """
    numbers, *said = line.split("|")
    units = [document["units"][int(number)] for number in numbers.split(",")]
    cited = [text for unit in units for text in (unit["lead"], unit["text"]) if text]
    found: list[LabelledStatement] = []
    for one in filter(None, map(str.strip, said)):
        wrong = re.match(r"-(\w+):\s*(.*)", one)
        if not (wrong or one.startswith("+")):
            raise ValueError(f"expected +statement or -kind:statement, got {one!r}")
        found.append(
            LabelledStatement(
                claim=wrong[2] if wrong else one[1:].strip(),
                sources=tuple(dict.fromkeys(cited)),
                supported=wrong is None,
                kind=wrong[1] if wrong else "faithful",
                titles=tuple(units[0]["path"]),
            )
        )
    return found
