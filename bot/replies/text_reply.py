"""The whole reply as text: notifications, screen readers, old clients, and the last shape.

Always complete within a limit: badge, words, sources, what to do next, reference. If the limit is
too small, quotes are shortened first and then left out; then the words are cut. Each cut is marked.
The platform's `Markup` says how foreign text is escaped and links are written.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from bot.replies.answer import (
    NEAREST,
    NEAREST_SECTIONS,
    BadgeLine,
    Heard,
    ShownPassage,
    badge_of,
    how_to_reply,
    numbered,
    passage_of,
    question_of,
    remarks,
)
from bot.replies.context import Library
from bot.replies.safe_text import CUT, cut, line, short, width
from bot.replies.sections import section_title
from bot.replies.sources import Source, count_of, numbers, sources
from bot.replies.statements import laid_out
from core.domain.answer import Answer, Outcome
from core.language.interface.texts import Text
from core.language.languages import Language

SHORT_TITLE = 60
ASK_NEXT = Text("You could also ask:", "Als Nächstes könnten Sie fragen:")
_SHORTENED = Text("… [shortened from {count} characters]", "… [gekürzt, {count} Zeichen]")
_MORE = Text("and {count} more sources", "und {count} weitere Quellen")


@dataclass(frozen=True, slots=True, kw_only=True)
class Markup:
    """How a platform writes text."""

    limit: int
    """Characters of a whole reply, in UTF-16 units."""
    body: int
    """Characters reserved for the words, however long the sources are."""
    line_end: str
    """Between two lines of a paragraph."""
    bullet: str
    """Before each item of a list."""
    quote: str
    """Before a quotation."""
    literal: Callable[[str], str]
    """Makes foreign text inert."""
    worded: Callable[[str, Answer], str]
    """Makes the words of an answer inert; the marks of its citations may be kept live."""
    link: Callable[[str, str], str]
    """Makes a link to one of our addresses, with its label."""
    strong: Callable[[str], str]
    """Emphasises text that is already literal."""
    small: Callable[[str], str]
    """Writes the last line, of text that is already literal."""
    badge: Callable[[BadgeLine], str]
    """A badge line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Detail:
    """How much of each source is shown."""

    quote: int
    """Characters of a quote; 0: none."""
    title: int | None
    """Characters of a title; None: all, with version and link."""


_DETAILS = (
    _Detail(quote=1_500, title=None),
    _Detail(quote=400, title=None),
    _Detail(quote=120, title=None),
    _Detail(quote=0, title=None),
    _Detail(quote=0, title=SHORT_TITLE),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlainText:
    """Writes replies in one markup, with the links of one library."""

    markup: Markup
    """How the platform writes text."""
    library: Library
    """Where links may lead."""
    language: Language = Language.ENGLISH
    """In which the product's own words are."""
    heard: Heard = "thread"
    """Which replies to a clarification reach us."""
    starts_with_words: bool = False
    """True: the words come before the badge, for notifications that show the beginning."""

    def answer(
        self,
        answer: Answer,
        *,
        reference: str,
        follow_ups: tuple[str, ...] = (),
        with_sources: bool = True,
    ) -> str:
        """Return an outcome, within the limit.

        Args:
            answer: the outcome.
            reference: the last line.
            follow_ups: questions to go on with; three are named.
            with_sources: False: they are shown beside the text.
        """
        if answer.outcome is Outcome.CLARIFICATION:
            return self.clarification(answer, reference=reference)
        passage = passage_of(answer, self.library, self.language)
        if passage is not None:
            return self._closest(answer, passage, self._tail(answer, reference, ()))
        limit, hosts = self.markup.limit, self.library.hosts
        first = self.starts_with_words and answer.outcome is Outcome.ANSWERED
        head, tail = self._head(answer), self._tail(answer, reference, follow_ups)
        near = self.nearest(answer)
        body = short(laid_out(answer), limit, hosts, mark=self._cut)
        found = list(sources(answer.quoted, self.library, self.language)) if with_sources else []
        for detail in _DETAILS:
            listed = self._sources(found, detail)
            words = self.markup.worded(body, answer)
            whole = _joined(*((words, head) if first else (head, words)), near, listed, tail)
            if width(whole) <= limit:
                return whole
        told = self._within(body, self.markup.body, lambda text: self.markup.worded(text, answer))
        near = near if width(_joined(head, told, near, tail)) <= limit else ""
        room = limit - width(_joined(head, told, near, tail)) - 2
        shown = (told, head) if first else (head, told)
        return _joined(*shown, near, self._fitting(found, room), tail)

    def _closest(self, answer: Answer, passage: ShownPassage, tail: str) -> str:
        """Return the closest passage where it stands, as much of it as there is room for."""
        head, whole = self._head(answer), ""
        after = self.within(passage.after, 600)
        for detail in _DETAILS:
            title = (
                self._title(passage.source)
                if detail.title is None
                else self.within(passage.source.title, detail.title)
            )
            words = short(
                passage.quotation,
                detail.quote or SHORT_TITLE,
                self.library.hosts,
                mark=self._cut,
            )
            said = self.markup.worded(f"{' '.join(words.split())} {passage.marks}", answer)
            quoted = self._lines([title, f"{self.markup.quote}{said}"])
            whole = _joined(head, quoted, after, tail)
            if width(whole) <= self.markup.limit:
                break
        return whole

    def clarification(self, answer: Answer, *, reference: str, with_options: bool = True) -> str:
        """Return a clarification; `with_options`: with numbers to reply with."""
        asked = self.markup.strong(self.within(question_of(answer), 1_000))
        listed = numbered(answer.options, self.language).splitlines() if with_options else []
        room = min(200, self.markup.limit // 2 // max(1, len(listed)))
        options = self._lines(self.within(one, room) for one in listed)
        how = how_to_reply(
            answer, has_buttons=not with_options, heard=self.heard, language=self.language
        )
        return _joined(asked, options, how, self._reference(reference))

    @property
    def _cut(self) -> str:
        return CUT.of(self.language)

    def nearest(self, answer: Answer) -> str:
        """Return sections by name, with links, one a line; 1,000 characters at most."""
        if answer.quoted or not answer.nearest:
            return ""
        lines = [NEAREST_SECTIONS.of(self.language)]
        for place in answer.nearest[:NEAREST]:
            url, title = self.library.url(place), section_title(place, self.language)
            named = self.markup.link(url, title) if url else self.within(title, 180)
            lines.append(f"{self.markup.bullet}{named}")
        return self._lines(_cut_off(lines, 1_000))

    def within(self, text: str, limit: int) -> str:
        """Return text, literal, of at most `limit` characters; what is cut says so."""
        return self._within(text, limit, self.markup.literal)

    def _within(self, text: str, limit: int, literal: Callable[[str], str]) -> str:
        told = short(text, limit, mark=self._cut)
        made, kept = literal(told), told.removesuffix(self._cut)
        taken = width(kept)
        while width(made) > limit and taken > 0:
            taken -= max(1, (width(made) - limit) // 5)
            made = literal(cut(kept, taken, "").rstrip() + self._cut)
        return made

    def _head(self, answer: Answer) -> str:
        head = badge_of(answer, self.language)
        return self.markup.badge(head) if head else ""

    def _tail(self, answer: Answer, reference: str, follow_ups: tuple[str, ...]) -> str:
        said = [self.within(strong + rest, 300) for strong, rest in remarks(answer, self.language)]
        if follow_ups and answer.outcome is Outcome.ANSWERED:
            asked = " / ".join(line(one, limit=75) for one in follow_ups[:3])
            said.append(f"{ASK_NEXT.of(self.language)} {self.within(asked, 300)}")
        return self._lines([*_cut_off(said, 1_000), self._reference(reference)])

    def _reference(self, reference: str) -> str:
        return self.markup.small(self.within(reference, 200))

    def _sources(self, found: list[Source], detail: _Detail) -> str:
        return self._lines(one for source in found for one in self._source(source, detail))

    def _source(self, source: Source, detail: _Detail) -> Iterator[str]:
        marks, markup = numbers(source.quotes), self.markup
        if detail.title is not None:
            yield f"{self.within(marks, 40)} {self.within(source.title, detail.title)}"
            return
        if source.is_first:
            yield markup.literal(source.policy)
        yield f"{markup.literal(marks)} {self._linked(source, source.section)}"
        several = len(source.quotes) > 1
        for quote in source.quotes if detail.quote else ():
            mark = f"{markup.literal(f'[{quote.number}]')} " if several else ""
            yield f"{markup.quote}{mark}“{self._quote(quote.quote, detail.quote)}”"
        if source.about:
            yield markup.literal(source.about)

    def _title(self, source: Source) -> str:
        """Return the title of a source with its link, and since when it holds and whose it is."""
        title = self._linked(source, source.title)
        return f"{title} {self.markup.literal(f'({source.about})')}" if source.about else title

    def _linked(self, source: Source, title: str) -> str:
        return self.markup.link(source.url, title) if source.url else self.markup.literal(title)

    def _quote(self, quote: str, limit: int) -> str:
        mark = _SHORTENED.format(count=count_of(width(quote))).of(self.language)
        shown = short(quote, limit, self.library.hosts, mark=mark)
        return self.markup.literal(" ".join(shown.split()))

    def _fitting(self, found: list[Source], room: int) -> str:
        """Return as many sources as fit, and how many more there are."""
        lines = [one for source in found for one in self._source(source, _DETAILS[-1])]
        kept = list(_cut_off(lines, room - 40))
        rest = len(lines) - len(kept)
        more = _MORE.format(count=rest).of(self.language)
        return self._lines([*kept, *([more] if rest else [])])

    def _lines(self, lines: Iterable[str]) -> str:
        return self.markup.line_end.join(lines)


def _cut_off(lines: list[str], limit: int) -> Iterator[str]:
    for one in lines:
        limit -= width(one) + 1
        if limit < 0:
            return
        yield one


def _joined(*parts: str) -> str:
    return "\n\n".join(part for part in parts if part)
