"""What styles of a Word document say of a paragraph: heading, title, hidden, how it is set.

A company's own styles are based on Word's ("Policy H1" on "Heading 1"), or carry an outline level
and nothing else that tells; so each question goes up the chain of styles. Word stores the names of
its own styles in English, other programs in the language of their user.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from docx.document import Document
from docx.oxml.ns import qn

from core.ingest.load.looks import LineLook
from core.ingest.load.word.elements import OFF, Element, value_of, visible_runs, xml_of

_HEADING = re.compile(
    r"(?:heading|überschrift|titre|título|encabezado|titolo|intestazione|kop|rubrik|overskrift"
    r"|nagłówek|nadpis|otsikko)\s*(\d)\b",
    re.IGNORECASE,
)
_TITLES = frozenset({"title", "titel", "titre", "título", "titolo", "tytuł", "otsikko", "název"})
_BELOW_TITLE = ("subtitle", "untertitel", "sous-titre", "subtítulo", "sottotitolo")
_CONTENTS = re.compile(r"(?:toc|verzeichnis|inhaltsverzeichnis)\b", re.IGNORECASE)
_MAX_LEVEL = 9
"""Word's outline has nine levels; the tenth, stored as 9, is text."""
_MAX_CHAIN = 20
"""Styles may be based on each other in a circle in a broken file."""
_HALF_POINTS = 20
"""Word's own size, where a file states none."""
_PROPERTIES, _RUN_PROPERTIES = qn("w:pPr"), qn("w:rPr")
_VALUE = qn("w:val")
_WHITE = frozenset({"FFFFFF", "FEFEFE"})
_UNREADABLE = 4
"""Half-points: nobody reads what is set in 2 pt."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StyleKind:
    """What a paragraph's style makes of it."""

    level: int | None = None
    """As a heading, from 1; None for text."""
    is_title: bool = False
    """True for the document's title."""
    is_contents: bool = False
    """True for an entry of a table of contents."""


class Styles:
    """The styles of one document, each resolved once."""

    def __init__(self, document: Document) -> None:
        root = xml_of(document.styles)
        styles = list(root.iter(qn("w:style")))
        self._by_id = {style.get(qn("w:styleId")) or "": style for style in styles}
        self._default = next(
            (
                style.get(qn("w:styleId")) or ""
                for style in styles
                if style.get(qn("w:type")) == "paragraph"
                and style.get(qn("w:default")) not in {None, *OFF}
            ),
            "",
        )
        self._everywhere = root.find(f"{qn('w:docDefaults')}/{qn('w:rPrDefault')}/{qn('w:rPr')}")
        self._kinds: dict[str, StyleKind] = {}
        self._settings: dict[tuple[str, str], str | None] = {}

    def kind_of(self, paragraph: Element) -> StyleKind:
        """Return what a paragraph is by its style, and by an outline level of its own."""
        name = self.style_of(paragraph)
        if name not in self._kinds:
            self._kinds[name] = self._kind(name)
        kind = self._kinds[name]
        own = _outline(paragraph)
        if own is None or kind.is_title or kind.is_contents:
            return kind
        return StyleKind(level=own if own <= _MAX_LEVEL else None)

    def numbering_of(self, paragraph: Element) -> Iterator[Element]:
        """Yield the list properties that hold for a paragraph, its own first."""
        for holder in (paragraph, *self._chain(self.style_of(paragraph))):
            found = holder.find(f"{_PROPERTIES}/{qn('w:numPr')}")
            if found is not None:
                yield found

    def is_hidden(self, run: Element, paragraph: Element) -> bool:
        """Return whether a reader sees nothing of a run: hidden, by itself or by its style."""
        vanish = self._setting(run, paragraph, "w:vanish")
        return vanish is not None and vanish not in OFF

    def is_struck(self, run: Element, paragraph: Element) -> bool:
        """Return whether a run is struck through."""
        return any(self._is_on(run, paragraph, tag) for tag in ("w:strike", "w:dstrike"))

    def is_invisible(self, run: Element, paragraph: Element) -> bool:
        """Return whether a run is white on nothing, or too small to be seen.

        Not to be asked in tables and boxes, whose ground may be dark.
        """
        size = self._setting(run, paragraph, "w:sz") or ""
        if size.isdecimal() and int(size) <= _UNREADABLE:
            return True
        if (self._setting(run, paragraph, "w:color") or "").upper() not in _WHITE:
            return False
        shaded = self._setting(run, paragraph, "w:shd", attribute="w:fill")
        marked = self._setting(run, paragraph, "w:highlight")
        own = paragraph.find(f"{_PROPERTIES}/{qn('w:shd')}")
        chain = self._chain(self.style_of(paragraph))
        ground = [own, *(style.find(f"{_PROPERTIES}/{qn('w:shd')}") for style in chain)]
        return shaded is None and marked is None and not any(item is not None for item in ground)

    def body_size(self, paragraphs: Iterable[Element]) -> int:
        """Return the size of most of the text, in half-points."""
        sizes: Counter[int] = Counter()
        for paragraph in paragraphs:
            for run in visible_runs(paragraph):
                sizes[self._size(run, paragraph)] += sum(
                    len(text.text or "") for text in run.iter(qn("w:t"))
                )
        return sizes.most_common(1)[0][0] if sizes else _HALF_POINTS

    def look_of(self, paragraph: Element, *, body_size: int) -> LineLook | None:
        """Return how a paragraph is set, where all of it is set alike and apart from the text."""
        runs = [run for run in visible_runs(paragraph) if has_words(run)]
        if not runs or body_size <= 0:
            return None
        size = min(self._size(run, paragraph) for run in runs) / body_size
        is_bold = all(self._is_on(run, paragraph, "w:b") for run in runs)
        is_underlined = all(
            self._setting(run, paragraph, "w:u") not in {None, "none"} for run in runs
        )
        if size <= 1 and not is_bold and not is_underlined:
            return None
        return LineLook(size=max(1.0, size), is_bold=is_bold)

    def _kind(self, name: str) -> StyleKind:
        level: int | None = None
        for style in self._chain(name):
            said = (value_of(style, "w:name") or "").strip().lower()
            match = _HEADING.match(said)
            outline = _outline(style)
            if _CONTENTS.match(said):
                return StyleKind(is_contents=True)
            if said.startswith(_BELOW_TITLE):
                return StyleKind()
            if said in _TITLES:
                return StyleKind(level=1, is_title=True)
            if outline is not None:
                level = outline if outline <= _MAX_LEVEL else None
                break
            if match:
                level = max(1, int(match.group(1)))
                break
        return StyleKind(level=level)

    def style_of(self, paragraph: Element) -> str:
        """Return the id of a paragraph's style."""
        properties = paragraph.find(_PROPERTIES)
        named = value_of(properties, "w:pStyle") if properties is not None else None
        return named if named in self._by_id else self._default

    def _chain(self, name: str) -> list[Element]:
        """Return a style and those it is based on."""
        found: list[Element] = []
        while name in self._by_id and len(found) < _MAX_CHAIN:
            found.append(self._by_id[name])
            name = value_of(found[-1], "w:basedOn") or ""
        return found

    def _size(self, run: Element, paragraph: Element) -> int:
        size = self._setting(run, paragraph, "w:sz") or ""
        return int(size) if size.isdecimal() and len(size) <= 4 else _HALF_POINTS  # noqa: PLR2004 - digits

    def _is_on(self, run: Element, paragraph: Element, tag: str) -> bool:
        said = self._setting(run, paragraph, tag)
        return said is not None and said not in OFF

    def _setting(
        self, run: Element, paragraph: Element, tag: str, *, attribute: str = "w:val"
    ) -> str | None:
        """Return a property of characters: the run's own, its style's, the paragraph's style's."""
        own = run.find(_RUN_PROPERTIES)
        said = _said(own, tag, attribute)
        if said is not None:
            return said
        named = value_of(own, "w:rStyle") if own is not None else None
        for name in (named, self.style_of(paragraph)):
            found = self._of_style(name, tag, attribute) if name else None
            if found is not None:
                return found
        return _said(self._everywhere, tag, attribute)

    def _of_style(self, name: str, tag: str, attribute: str) -> str | None:
        key = (name, f"{tag}/{attribute}")
        if key not in self._settings:
            said = (_said(s.find(_RUN_PROPERTIES), tag, attribute) for s in self._chain(name))
            self._settings[key] = next((value for value in said if value is not None), None)
        return self._settings[key]


def _said(properties: Element | None, tag: str, attribute: str) -> str | None:
    """Return a property's value; an element without one, as `<w:b/>`, says "true"."""
    item = properties.find(qn(tag)) if properties is not None else None
    return None if item is None else item.get(qn(attribute)) or "true"


def _outline(holder: Element) -> int | None:
    """Return an outline level, from 1; None if none is said."""
    level = holder.find(f"{_PROPERTIES}/{qn('w:outlineLvl')}")
    said = level.get(_VALUE) if level is not None else None
    return int(said) + 1 if said is not None and said.isdecimal() and len(said) == 1 else None


def has_words(run: Element) -> bool:
    """Return whether a run holds more than white space."""
    words = (text.text or "" for tag in ("w:t", "w:delText") for text in run.iter(qn(tag)))
    return any(map(str.strip, words))
