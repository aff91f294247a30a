"""The whole reply as text: notifications, screen readers, old clients, and the last shape.

Always complete: badge, words, sources, what to do next, reference, within 4,000 characters (the cap
of `chat.update`). Where that is too little, quotes are shortened first, then left out, both said;
then the words are cut, and say so. It is mrkdwn: foreign text is escaped, links are ours.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from bot.replies.badge import head_of
from bot.replies.places import Source, numbers, section_title, sources
from bot.replies.text import line, short, width
from bot.slack.answer import NEAREST, remarks
from bot.slack.clarification import how_to_reply, numbered, question_of
from bot.slack.elements import badge_words, escaped, link
from bot.slack.setting import Setting
from core.domain.answer import Answer, Outcome

LIMIT = 4_000
SHORT_TITLE = 60
CUT = "… [shortened]"
BODY = 2_400
"""Characters that the words keep, whatever the sources need."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Detail:
    """How much is said of each source."""

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


def answer_text(answer: Answer, setting: Setting, *, reference: str) -> str:
    """Return an outcome as mrkdwn of at most 4,000 characters."""
    if answer.outcome is Outcome.CLARIFICATION:
        return _clarification(answer, reference)
    head, tail = _head(answer), _tail(answer, setting, reference)
    near = nearest_text(answer, setting)
    body = short(answer.text, LIMIT, setting.library.hosts, mark=CUT)
    found = list(sources(answer.citations, setting.library))
    for detail in _DETAILS:
        listed = _sources(found, detail, setting.library.hosts)
        whole = _joined(head, escaped(body), near, listed, tail)
        if width(whole) <= LIMIT:
            return whole
    told = within(body, BODY)
    near = near if width(_joined(head, told, near, tail)) <= LIMIT else ""
    room = LIMIT - width(_joined(head, told, near, tail)) - 2
    return _joined(head, told, near, _fitting(found, room), tail)


def within(text: str, limit: int) -> str:
    """Return text, escaped, of at most `limit` characters; what is cut says so."""
    taken, made = limit, escaped(short(text, limit, mark=CUT))
    while width(made) > limit:
        taken -= max(1, (width(made) - limit) // 5)
        made = escaped(short(text, taken, mark=CUT))
    return made


def _head(answer: Answer) -> str:
    head = head_of(answer)
    return badge_words(head) if head else ""


def _tail(answer: Answer, setting: Setting, reference: str) -> str:
    said = [within(strong + rest, 300) for strong, rest in remarks(answer)]
    if setting.follow_ups and answer.outcome is Outcome.ANSWERED:
        asked = " / ".join(line(one, limit=75) for one in setting.follow_ups[:3])
        said.append(f"You could ask next: {within(asked, 300)}")
    return "\n".join([*_cut_off(said, 1_000), within(reference, 200)])


def _cut_off(lines: list[str], limit: int) -> Iterator[str]:
    for one in lines:
        limit -= width(one) + 1
        if limit < 0:
            return
        yield one


def _sources(found: list[Source], detail: _Detail, hosts: frozenset[str]) -> str:
    return "\n".join(one for source in found for one in _source(source, detail, hosts))


def _source(source: Source, detail: _Detail, hosts: frozenset[str]) -> Iterator[str]:
    marks = numbers(source.quotes)
    if detail.title is not None:
        yield f"{within(marks, 40)} {within(source.title, detail.title)}"
        return
    title = link(source.url, source.title) if source.url else escaped(source.title)
    about = f" ({escaped(source.about)})" if source.about else ""
    yield f"{marks} {title}{about}"
    several = len(source.quotes) > 1
    for quote in source.quotes if detail.quote else ():
        mark = f"[{quote.number}] " if several else ""
        yield f"> {mark}“{_quote(quote.quote, detail.quote, hosts)}”"


def _quote(quote: str, limit: int, hosts: frozenset[str]) -> str:
    mark = f"… [shortened from {width(quote):,} characters]"
    return escaped(" ".join(short(quote, limit, hosts, mark=mark).split()))


def _fitting(found: list[Source], room: int) -> str:
    """Return as many sources as there is room for, and how many there are besides."""
    lines = [one for source in found for one in _source(source, _DETAILS[-1], frozenset())]
    kept = list(_cut_off(lines, room - 40))
    rest = len(lines) - len(kept)
    return "\n".join([*kept, *([f"and {rest} more sources"] if rest else [])])


def _clarification(answer: Answer, reference: str) -> str:
    asked = f"*{within(question_of(answer), 1_000)}*"
    options = within(numbered(answer.options), 2_500) if answer.options else ""
    return _joined(asked, options, how_to_reply(answer, has_buttons=False), within(reference, 200))


def nearest_text(answer: Answer, setting: Setting) -> str:
    """Return sections by name, with links, one a line; 1,000 characters at most."""
    if answer.citations or not answer.nearest:
        return ""
    lines = ["Nearest sections:"]
    for place in answer.nearest[:NEAREST]:
        url, title = setting.library.url(place), section_title(place)
        lines.append(f"• {link(url, title) if url else within(title, 180)}")
    return "\n".join(_cut_off(lines, 1_000))


def _joined(*parts: str) -> str:
    return "\n\n".join(part for part in parts if part)
