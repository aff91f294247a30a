"""Policies in the console: their versions, what changed between two, what answers rest on them."""

import asyncio
import difflib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from aiohttp import web

from bot.officer.gate import HOME, GatedPages, NoPageError, Visit
from core.adapters.postgres.console.policies import (
    ListedVersion,
    read_cited_sections,
    read_policies,
    read_text,
    read_versions,
)

POLICIES = f"{HOME}/policies"
AROUND = 3
"""Unchanged lines that are shown on each side of a change."""
MOST_LINES = 20_000
"""Lines that are compared: a longer text is compared up to there."""
MOST_PAIRS, COMPARED = 100, 4_000
"""Lines of one change that are compared word by word, and characters of each."""
_WORD = re.compile(r"\s+|\w+|[^\w\s]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A part of a line."""

    text: str
    is_changed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class DiffLine:
    """A line of what changed."""

    kind: str
    """`same`, `gone`, `new`, or `gap`: unchanged lines are left out."""
    pieces: tuple[Piece, ...]


class PolicyPages(GatedPages):
    """The pages about policies."""

    def routes(self) -> tuple[web.RouteDef, ...]:
        """Return what is served here."""
        page, one = self._gate.page, f"{POLICIES}/{{key}}"
        return (
            web.get(POLICIES, page(self.list)),
            web.get(one, page(self.show)),
            web.get(f"{one}/changes", page(self.compare)),
            web.get(f"{one}/versions/{{number}}", page(self.read)),
        )

    async def list(self, visit: Visit) -> web.StreamResponse:
        """List the policies."""
        async with visit.record.reading(visit.reading("citation")) as connection:
            found = await read_policies(connection)
        return self._pages.response("policies.html", visit=visit, policies=found)

    async def show(self, visit: Visit) -> web.StreamResponse:
        """Show one policy: its versions, and the sections that answers cite."""
        key = visit.part("key")
        async with visit.record.reading(visit.reading("citation")) as connection:
            versions = await read_versions(connection, key)
            sections = await read_cited_sections(connection, key)
        if not versions:
            raise NoPageError
        return self._pages.response(
            "policy.html", visit=visit, key=key, versions=versions, sections=sections
        )

    async def read(self, visit: Visit) -> web.StreamResponse:
        """Show the text of one version."""
        key = visit.part("key")
        async with visit.record.reading(visit.reading("citation")) as connection:
            version = _numbered(await read_versions(connection, key), visit.part("number"))
            text = await read_text(connection, version)
        return self._pages.response(
            "policy_text.html", visit=visit, key=key, version=version, text=text
        )

    async def compare(self, visit: Visit) -> web.StreamResponse:
        """Show what changed from one version to another; by default between the newest two."""
        key = visit.part("key")
        async with visit.record.reading(visit.reading("citation")) as connection:
            versions = await read_versions(connection, key)
            if not versions:
                raise NoPageError
            newest, before = versions[0].number, versions[min(1, len(versions) - 1)].number
            old = _numbered(versions, visit.query("from") or str(before))
            new = _numbered(versions, visit.query("to") or str(newest))
            texts = [await read_text(connection, one) for one in (old, new)]
        lines = await asyncio.to_thread(diff, *texts)
        return self._pages.response(
            "policy_changes.html",
            visit=visit,
            key=key,
            versions=versions,
            old=old,
            new=new,
            lines=lines,
        )


def diff(old: str, new: str) -> Sequence[DiffLine]:
    """Return what changed from one text to another, with the lines around; empty: nothing."""
    before, after = (text.splitlines()[:MOST_LINES] for text in (old, new))
    # What stands in many lines, as empty ones do, is no landmark: the time stays in bounds.
    matcher = difflib.SequenceMatcher(None, before, after)
    found: list[DiffLine] = []
    for group in matcher.get_grouped_opcodes(AROUND):
        if found or group[0][1] > 0:
            found.append(DiffLine(kind="gap", pieces=()))
        for what, begin, end, begin_new, end_new in group:
            if what == "equal":
                found += [_line("same", line) for line in before[begin:end]]
            else:
                found += _changed(before[begin:end], after[begin_new:end_new])
    return found


def _changed(old: Sequence[str], new: Sequence[str]) -> Iterator[DiffLine]:
    """Yield lines that went and lines that came; words are compared where lines are paired."""
    if len(old) == len(new) <= MOST_PAIRS:
        pairs = [_words(before, after) for before, after in zip(old, new, strict=True)]
        yield from (DiffLine(kind="gone", pieces=gone) for gone, _ in pairs)
        yield from (DiffLine(kind="new", pieces=come) for _, come in pairs)
        return
    yield from (_line("gone", line) for line in old)
    yield from (_line("new", line) for line in new)


def _words(old: str, new: str) -> tuple[tuple[Piece, ...], tuple[Piece, ...]]:
    before, after = _WORD.findall(old[:COMPARED]), _WORD.findall(new[:COMPARED])
    gone: list[Piece] = []
    come: list[Piece] = []
    for what, begin, end, begin_new, end_new in difflib.SequenceMatcher(
        None, before, after
    ).get_opcodes():
        is_changed = what != "equal"
        if begin < end:
            gone.append(Piece(text="".join(before[begin:end]), is_changed=is_changed))
        if begin_new < end_new:
            come.append(Piece(text="".join(after[begin_new:end_new]), is_changed=is_changed))
    return (*gone, *_rest(old)), (*come, *_rest(new))


def _rest(line: str) -> tuple[Piece, ...]:
    return (Piece(text=line[COMPARED:], is_changed=False),) if len(line) > COMPARED else ()


def _line(kind: str, text: str) -> DiffLine:
    return DiffLine(kind=kind, pieces=(Piece(text=text, is_changed=False),))


def _numbered(versions: Sequence[ListedVersion], written: str) -> ListedVersion:
    found = next((one for one in versions if str(one.number) == written), None)
    if found is None:
        raise NoPageError
    return found
