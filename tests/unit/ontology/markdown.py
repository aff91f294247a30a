"""Sections of small Markdown texts, without the loader."""

import re

from core.domain.policy import Section

_HEADING = re.compile(r"(?m)^(#{1,6})\s+(?:((?:\d+(?:\.\d+)*|Annex \w))[.:]?\s+)?(.*)\n?")


def sections_of(text: str) -> tuple[Section, ...]:
    """Cut a text at its headings; each section is numbered as its heading says."""
    matches = list(_HEADING.finditer(text))
    found: list[Section] = []
    path: list[tuple[int, str]] = []
    for ordinal, match in enumerate(matches):
        level = len(match[1])
        path = [(depth, name) for depth, name in path if depth < level]
        path.append((level, f"{match[2] or ''} {match[3]}".strip()))
        last = ordinal + 1 == len(matches)
        found.append(
            Section(
                eid=f"sec_{match[2] or ordinal}",
                number=match[2],
                title=match[3],
                path=tuple(name for _, name in path),
                level=level,
                ordinal=ordinal,
                char_start=match.start(),
                body_start=match.end(),
                char_end=len(text) if last else matches[ordinal + 1].start(),
                page=None,
            )
        )
    return tuple(found)
