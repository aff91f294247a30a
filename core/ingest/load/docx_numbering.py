"""List labels, which Word computes and does not store in the text: "2.3", "(a)".

Word stores a list as abstract definition -> instance -> paragraph (ECMA-376 part 1, 17.9). Of
restarts only Word's default is supported: a deeper level restarts after a higher one.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from docx.document import Document
from docx.oxml.ns import qn
from docx.text.paragraph import Paragraph

from core.ingest.load.docx_xml import Element, value_of, xml_of

_ROMAN = (
    (1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"),
    (50, "l"), (40, "xl"), (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"),
)  # fmt: skip
_ALPHABET = 26


@dataclass(frozen=True, slots=True, kw_only=True)
class ListLevel:
    """How one level of a list is labelled."""

    form: str
    """Word's name: `decimal`, `lowerLetter`, `upperRoman`, `bullet`, ..."""
    pattern: str
    """The label with %1 to %9 for the counters: "%1.%2"."""
    start: int
    """The first value."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ListPlace:
    """Where a paragraph stands in a list."""

    list_id: str
    """Word's instance number."""
    level: int
    """Depth from 0."""


Numbering = Mapping[ListPlace, ListLevel]


def numbering_of(document: Document) -> dict[ListPlace, ListLevel]:
    """Read the list definitions; empty if the document has none."""
    try:
        root = xml_of(document.part.numbering_part)
    except (KeyError, NotImplementedError):
        return {}
    abstract = {item.get(qn("w:abstractNumId")): item for item in root.iter(qn("w:abstractNum"))}
    found: dict[ListPlace, ListLevel] = {}
    for instance in root.iter(qn("w:num")):
        list_id = instance.get(qn("w:numId"))
        definition = abstract.get(value_of(instance, "w:abstractNumId"))
        if list_id is None or definition is None:
            continue
        for level in definition.iter(qn("w:lvl")):
            place = ListPlace(list_id=list_id, level=int(level.get(qn("w:ilvl")) or 0))
            found[place] = ListLevel(
                form=value_of(level, "w:numFmt") or "decimal",
                pattern=value_of(level, "w:lvlText") or "",
                start=int(value_of(level, "w:start") or 1),
            )
    return found


class ListLabels:
    """Counters of the lists of one document; to be called for each paragraph in order."""

    def __init__(self, numbering: Numbering) -> None:
        self._numbering = numbering
        self._counters: dict[ListPlace, int] = {}

    def next_for(self, paragraph: Paragraph) -> str:
        """Return the paragraph's label and a space; empty if it has none."""
        place = _place(paragraph)
        level = self._numbering.get(place) if place is not None else None
        if place is None or level is None:
            return ""
        if level.form == "bullet":
            return "- "
        if level.form == "none":
            return ""
        self._counters[place] = self._counters.get(place, level.start - 1) + 1
        for deeper in range(place.level + 1, 9):
            self._counters.pop(ListPlace(list_id=place.list_id, level=deeper), None)
        label = self._fill(place, level.pattern)
        return f"{label} " if label else ""

    def _fill(self, place: ListPlace, pattern: str) -> str:
        for depth in range(place.level + 1):
            here = ListPlace(list_id=place.list_id, level=depth)
            level = self._numbering.get(here)
            if level is not None:
                value = self._counters.get(here, level.start)
                pattern = pattern.replace(f"%{depth + 1}", format_counter(value, level.form))
        return pattern


def format_counter(value: int, form: str) -> str:
    """Write a counter as Word does; forms of other scripts are written in digits.

    Args:
        value: from 1.
        form: Word's name of the form.
    """
    if form in {"lowerLetter", "upperLetter"} and value > 0:
        repeats, place = divmod(value - 1, _ALPHABET)
        letters = chr(ord("a") + place) * (repeats + 1)
        return letters if form == "lowerLetter" else letters.upper()
    if form in {"lowerRoman", "upperRoman"} and value > 0:
        return _roman(value) if form == "lowerRoman" else _roman(value).upper()
    return str(value)


def _roman(value: int) -> str:
    digits: list[str] = []
    for amount, sign in _ROMAN:
        count, value = divmod(value, amount)
        digits.append(sign * count)
    return "".join(digits)


def _place(paragraph: Paragraph) -> ListPlace | None:
    """Find the list of a paragraph, in itself or in its style."""
    own = xml_of(paragraph).find(f"{qn('w:pPr')}/{qn('w:numPr')}")
    styled = None
    if own is None and paragraph.style is not None:
        styled = xml_of(paragraph.style).find(f"{qn('w:pPr')}/{qn('w:numPr')}")
    properties: Element | None = own if own is not None else styled
    if properties is None:
        return None
    list_id = value_of(properties, "w:numId")
    if list_id is None or list_id == "0":
        return None
    return ListPlace(list_id=list_id, level=int(value_of(properties, "w:ilvl") or 0))
