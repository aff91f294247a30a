"""List labels, which Word computes and does not store in the text: "2.3", "(a)".

Word stores a list as abstract definition -> instance -> paragraph (ECMA-376 part 1, 17.9). All
instances of a definition go on counting, unless one states a start of its own. Of restarts within a
list only Word's default is supported: a deeper level restarts after a higher one.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from docx.document import Document
from docx.oxml.ns import qn

from core.ingest.load.word.elements import Element, value_of, xml_of

_ROMAN = (
    (1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"),
    (50, "l"), (40, "xl"), (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"),
)  # fmt: skip
_ALPHABET = 26
BULLET = "- "


@dataclass(frozen=True, slots=True, kw_only=True)
class ListLevel:
    """How one level of a list is labelled."""

    form: str
    """Word's name: `decimal`, `lowerLetter`, `upperRoman`, `bullet`, ..."""
    pattern: str
    """The label with %1 to %9 for the counters: "%1.%2"."""
    start: int
    """The first value."""
    style: str
    """Id of the paragraph style that is numbered at this level; empty if none is."""
    is_legal: bool
    """True if all counters of the label are written in digits."""
    list_id: str
    """Of the definition: instances of one go on counting."""
    restarts: bool
    """True if this instance begins anew."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ListPlace:
    """Where a paragraph stands in a list."""

    list_id: str
    """Word's number of the instance; of the definition, for counters."""
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
    styled = {value_of(item, "w:styleLink"): item for item in abstract.values()}
    found: dict[ListPlace, ListLevel] = {}
    for instance in root.iter(qn("w:num")):
        list_id = instance.get(qn("w:numId"))
        definition = abstract.get(value_of(instance, "w:abstractNumId"))
        if list_id is None or definition is None:
            continue
        link = value_of(definition, "w:numStyleLink")
        definition = styled.get(link, definition) if link else definition
        starts = {item.get(qn("w:ilvl")): item for item in instance.iter(qn("w:lvlOverride"))}
        for level in (*definition.iter(qn("w:lvl")), *instance.iter(qn("w:lvl"))):
            own = starts.get(level.get(qn("w:ilvl")))
            given = value_of(own, "w:startOverride") if own is not None else None
            place = ListPlace(list_id=list_id, level=int(level.get(qn("w:ilvl")) or 0))
            found[place] = ListLevel(
                form=value_of(level, "w:numFmt") or "decimal",
                pattern=value_of(level, "w:lvlText") or "",
                start=int(given or value_of(level, "w:start") or 1),
                style=value_of(level, "w:pStyle") or "",
                is_legal=level.find(qn("w:isLgl")) is not None,
                list_id=definition.get(qn("w:abstractNumId")) or list_id,
                restarts=given is not None,
            )
    return found


class ListLabels:
    """Counters of the lists of one document; to be called for each paragraph in order."""

    def __init__(self, numbering: Numbering) -> None:
        self._numbering = numbering
        self.depth = 0
        """Of the last paragraph in its list."""
        self._counters: dict[ListPlace, int] = {}
        self._begun: set[ListPlace] = set()
        self._of_style = {
            (place.list_id, level.style): place.level
            for place, level in numbering.items()
            if level.style
        }

    def next_for(self, properties: Iterable[Element], *, style: str) -> str:
        """Return the paragraph's label and a space; empty if it has none.

        Args:
            properties: the list properties that hold for it, its own before those of its style.
            style: id of its style.
        """
        place = self._place(properties, style)
        self.depth = place.level if place is not None else 0
        level = self._numbering.get(place) if place is not None else None
        if place is None or level is None:
            return ""
        if level.form == "bullet":
            return BULLET
        if level.form == "none":
            return ""
        here = ListPlace(list_id=level.list_id, level=place.level)
        if level.restarts and place not in self._begun:
            self._counters.pop(here, None)
        self._begun.add(place)
        self._counters[here] = self._counters.get(here, level.start - 1) + 1
        for deeper in range(place.level + 1, 9):
            self._counters.pop(ListPlace(list_id=level.list_id, level=deeper), None)
        label = self._fill(place, level)
        return f"{label} " if label else ""

    def _place(self, properties: Iterable[Element], style: str) -> ListPlace | None:
        """Find the list of a paragraph; each of its two parts may come from a style."""
        list_id = depth = None
        for stated in properties:
            list_id = list_id or value_of(stated, "w:numId")
            depth = depth or value_of(stated, "w:ilvl")
        if list_id is None or list_id == "0":
            return None
        linked = self._of_style.get((list_id, style), 0)
        is_stated = depth is not None and depth.isdecimal()
        return ListPlace(list_id=list_id, level=int(depth or 0) if is_stated else linked)

    def _fill(self, place: ListPlace, level: ListLevel) -> str:
        pattern = level.pattern
        for depth in range(place.level + 1):
            above = self._numbering.get(ListPlace(list_id=place.list_id, level=depth))
            if above is not None:
                here = ListPlace(list_id=level.list_id, level=depth)
                value = self._counters.setdefault(here, above.start)
                form = "decimal" if level.is_legal else above.form
                pattern = pattern.replace(f"%{depth + 1}", format_counter(value, form))
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
