"""Questions and statements that were written for this, on the documents of `policies`.

Questions, a file: ``@N`` names a document; every other line is ``RIGHT[;PARTLY]|question|...``,
with numbers of units, commas between them; ``-`` where nothing answers. Statements: ``UNITS|...``,
each statement ``+supported`` or ``-kind:not supported``.
"""

import random
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.domain.reader_text import reader_text
from evals.training.groups import GroupTable, Split

HELD_OUT = frozenset({3, 17, 26, 31, 46, 48, 56, 61, 62, 83, 101})
"""Documents, by their place in the first file, whose questions are for validation alone."""
PASSAGE_WORDS = 140
FEW = 4
"""From so many right units on, they are a list of which each item answers."""

Document = dict[str, Any]
"""A line of `policies`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """A statement with the text that it is said to follow from."""

    claim: str
    text: str
    is_supported: bool
    kind: str
    """What is wrong with it, `neg`, `num`, `who`, ...; `faithful` if nothing is."""


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


def statements_of(document: Document, line: str) -> list[Statement]:
    """Return the statements of a line.

    Raises:
        ValueError: The line is none.
    """
    numbers, *said = line.split("|")
    units = [document["units"][int(number)] for number in numbers.split(",")]
    text = reader_text(
        title_of(document),
        units[0]["path"],
        " ".join(unit["text"] for unit in units),
        lead_in=units[0]["lead"] if len(units) == 1 else None,
    )
    found: list[Statement] = []
    for one in map(str.strip, said):
        wrong = re.match(r"-(\w+):\s*(.*)", one)
        if one.startswith("+"):
            claim, kind = one[1:].strip(), "faithful"
        elif wrong:
            kind, claim = wrong[1], wrong[2]
        else:
            raise ValueError(f"expected +statement or -kind:statement, got {one!r}")
        found.append(Statement(claim=claim, text=text, is_supported=wrong is None, kind=kind))
    return found


def add_statements(
    table: GroupTable, document: Document, line: str, *, chooser: random.Random
) -> None:
    """Add the statements of a line: what supports one, against other sentences; or nothing does.

    Raises:
        ValueError: The line is none.
    """
    title = title_of(document)
    others = [
        reader_text(title, unit["path"], unit["text"], lead_in=unit["lead"])
        for unit in document["units"]
        if not unit["head"]
    ]
    chooser.shuffle(others)
    for one in statements_of(document, line):
        if one.is_supported:
            wrong = [text for text in others if text != one.text][:20]
            table.add(one.claim, [one.text], wrong, source="support", split=2, grain="s")
        else:
            table.add(one.claim, [], [one.text], source="support-none", split=2, grain="s")
