"""What an officer wrote, in Teams: its form in Markdown, everything else of it literal.

Links lead to the hosts of the settings alone. In Teams nobody is chosen from a list: whoever is
named with an `@` is mentioned, if exactly one person who reads the conversation has that name.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from bot.replies.context import RenderContext
from bot.replies.safe_text import is_trusted, shown
from bot.teams.cards.elements import Card
from bot.teams.cards.markdown import escaped, link
from core.cases.written import MOST_MENTIONS, Line, WrittenBlock, WrittenKind, WrittenWords, read

PLATFORM = "teams"
LONGEST_NAME = 5
"""WrittenWords of a name."""
_CALLED = re.compile(r"(?<![^\W_])@(?=\w)")
_WORD = re.compile(r"[^\W_][\w.'\u2019-]*")


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenMessage:
    """Markdown, with the people whom it mentions."""

    text: str
    mentions: tuple[Card, ...]
    """Entities; the text of each stands in `text`."""


@dataclass(slots=True)
class _Writer:
    """Writes one text, and gathers whom it mentions."""

    context: RenderContext
    mentions: list[Card] = field(default_factory=list[Card])

    def block(self, block: WrittenBlock) -> str:
        """Return a paragraph or a list."""
        lines = [self._line(line) for line in block.lines]
        match block.kind:
            case WrittenKind.PARAGRAPH:
                return "\n\n".join(lines)
            case WrittenKind.BULLETS:
                return "\n".join(f"- {line}" for line in lines)
            case WrittenKind.NUMBERS:
                return "\n".join(f"{n}. {line}" for n, line in enumerate(lines, start=1))

    def _line(self, line: Line) -> str:
        return "".join(map(self._words, line))

    def _words(self, words: WrittenWords) -> str:
        account = words.account
        if account is not None:
            is_here = (account.platform, account.tenant) == (PLATFORM, self.context.tenant)
            name = words.text.removeprefix("@")
            return self._mention(account.person, name) if is_here else _kept_space(words.text)
        if words.url is not None and is_trusted(words.url, self.context.library.hosts):
            return self._styled(words, link(words.url, shown(words.text)))
        if words.url is not None and words.url != words.text:
            return self._styled(words, escaped(shown(f"{words.text} ({words.url})")))
        return self._styled(words, "".join(self._calling(words.text)))

    def _calling(self, text: str) -> Iterator[str]:
        """Yield the pieces of a text, with those mentioned whom it names."""
        end = 0
        for found in _CALLED.finditer(text):
            if found.start() < end:
                continue
            called = self._called(text, found.end())
            if called is None:
                continue
            person, stop = called
            yield _kept_space(text[end : found.start()])
            yield self._mention(person, text[found.end() : stop])
            end = stop
        yield _kept_space(text[end:])

    def _called(self, text: str, start: int) -> tuple[str, int] | None:
        """Return who is named from there on, by the longest name, and where it ends."""
        people, ends = self.context.people, list[int]()
        if not people or len(self.mentions) >= MOST_MENTIONS:
            return None
        at = start
        while len(ends) < LONGEST_NAME and (word := _WORD.match(text, at)):
            ends += [word.end()] if word[0][-1].isalnum() else [word.end(), word.end() - 1]
            at = word.end() + 1
            if text[word.end() : at] != " ":
                break
        for stop in sorted(ends, reverse=True):
            person = people.get(" ".join(text[start:stop].lower().split()))
            if person is not None:
                return person, stop
        return None

    def _mention(self, person: str, name: str) -> str:
        told = f"<at>{escaped(shown(name))}</at>"
        entity: Card = {
            "type": "mention",
            "text": told,
            "mentioned": {"id": person, "name": shown(name)},
        }
        self.mentions.append(entity)
        return told

    def _styled(self, words: WrittenWords, literal: str) -> str:
        """Return literal text with its emphasis, which begins and ends at a letter."""
        inner = literal.strip()
        if not inner or "\n" in inner:
            return literal
        told = f"_{inner}_" if words.is_italic else inner
        told = f"**{told}**" if words.is_bold else told
        start = literal.index(inner)
        return f"{literal[:start]}{told}{literal[start + len(inner) :]}"


def _kept_space(text: str) -> str:
    """Return literal text with the spaces around it: `escaped` is for whole lines."""
    told = escaped(shown(text))
    if not told:
        return text if text.isspace() else ""
    lead, tail = text[: len(text) - len(text.lstrip())], text[len(text.rstrip()) :]
    return f"{lead and ' '}{told}{tail and ' '}"


def written_message(text: str, context: RenderContext) -> WrittenMessage:
    """Return what an officer wrote, in Markdown."""
    writer = _Writer(context=context)
    told = "\n\n".join(writer.block(block) for block in read(text))
    return WrittenMessage(text=told, mentions=tuple(writer.mentions))
