"""What is looked for, as addresses and forms of the console hold it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from urllib.parse import urlencode

from bot.replies.safe_text import clean

LONGEST = 200
"""Characters of what is looked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """What was given, by field; empty: any."""

    given: Mapping[str, str]
    since: date | None
    until: date | None
    problems: Mapping[str, str]
    """What can't be understood, by field."""

    @property
    def kept(self) -> Mapping[str, str]:
        """Those that are not empty."""
        return {name: value for name, value in self.given.items() if value}

    def address(self, path: str, **more: object) -> str:
        """Return the address of a page that looks for the same."""
        return f"{path}?{urlencode({**self.kept, **more})}"


def filters(values: Mapping[str, object], names: Iterable[str]) -> Filters:
    """Read fields of an address or a form; `since` and `until` are days."""
    given = {name: clean(str(values.get(name, ""))).strip()[:LONGEST] for name in names}
    problems: dict[str, str] = {}
    days: dict[str, date | None] = {}
    for name in ("since", "until"):
        try:
            days[name] = date.fromisoformat(given[name]) if given.get(name) else None
        except ValueError:
            days[name], problems[name] = None, "Expected a day as in 2026-01-31."
    return Filters(given=given, since=days["since"], until=days["until"], problems=problems)
