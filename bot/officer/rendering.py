"""Pages of the console as HTML: templates, and how values are written in them.

Whatever people, policies or models wrote is escaped by Jinja and loses what a reader can't see:
control, format and bidirectional characters. Nothing of it becomes a link, a style or a script,
but for the emphasis, lists and links of an officer's answer (`bot.officer.written`).
"""

import json
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime, tzinfo
from functools import partial
from importlib.resources import files
from typing import Any

from aiohttp import web
from jinja2 import Environment, FunctionLoader, StrictUndefined
from markupsafe import Markup

from bot.forms.reasons import REASONS
from bot.officer.written import written_html
from bot.replies.safe_text import clean, permalink_or_none
from core.audit.bundle import verify
from core.cases.written import plain

STATIC: Mapping[str, str] = {"console.css": "text/css", "icon.svg": "image/svg+xml"}
"""Files that the pages refer to, and their types."""
OUTCOMES: Mapping[str, str] = {name: words for name, (words, _) in verify.OUTCOMES.items()}
BADGES: Mapping[str, str] = {"high": "High", "medium": "Medium", "low": "Low"}
CHANGES: Mapping[str, str] = {
    "changed": "Other words",
    "removed": "Section gone",
    "amended": "Changed around the quote",
    "withdrawn": "Policy withdrawn",
    "ended": "Policy out of force",
}
TEST_KINDS: Mapping[str, str] = {
    "norm": "May or must",
    "threshold": "Limit",
    "deadline": "Deadline",
    "exception": "Exception",
    "definition": "Term",
    "two_policies": "Two policies",
    "evidence_removed": "Evidence removed",
    "unanswerable": "Near topic",
}
"""Kinds of test questions."""
ACTIONS: Mapping[str, str] = {
    "query:executed": "Searched or queried",
    "record:viewed": "Viewed a record",
    "bundle:exported": "Exported",
    "officer:signed_in": "Signed in",
    "unmask:requested": "Asked who an asker is",
    "unmask:approved": "Approved that",
    "unmask:denied": "Denied that",
    "identity:unmasked": "Took an identity",
}


class Pages:
    """Renders the console's pages. Made once: reading and compiling templates blocks."""

    def __init__(self, hosts: frozenset[str] = frozenset(), *, zone: tzinfo = UTC) -> None:
        """Take the hosts to which what officers write may lead, and where they are."""
        self.zone_name = str(zone)
        folder = files("bot.officer")
        templates = {
            one.name: one.read_text(encoding="utf-8")
            for one in (folder / "templates").iterdir()
            if one.name.endswith(".html")
        }
        self.static = {name: (folder / "static" / name).read_bytes() for name in STATIC}
        self._environment = Environment(
            loader=FunctionLoader(templates.get),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            auto_reload=False,
        )
        filters: Any = self._environment.filters  # each of its values has a type of its own
        filters.update(
            told=told,
            plain=plain,
            written=partial(written_html, hosts=hosts),
            pretty=pretty,
            moment=partial(moment, zone=zone),
            day=day,
            count="{:,}".format,
            share=share,
            outcome=_named(OUTCOMES),
            reason=_named({one.value: words.en for one, words in REASONS}),
            badge=_named(BADGES),
            event=_named(verify.EVENTS),
            action=_named(ACTIONS),
            change=_named(CHANGES),
            testkind=_named(TEST_KINDS),
            permalink=permalink_or_none,
        )
        for name in templates:
            self._environment.get_template(name)

    def response(self, name: str, *, status: int = 200, **values: Any) -> web.Response:
        """Return a page."""
        body = self._environment.get_template(name).render(**values)
        return web.Response(text=body, status=status, content_type="text/html", charset="utf-8")


def _named(names: Mapping[str, str]) -> Callable[[str], str]:
    """Return what says a word of the record as people say it; of another word the word itself."""

    def name(word: str) -> str:
        return names.get(word, word)

    return name


def told(text: object) -> str:
    """Return foreign text without what a reader can't see; None is nothing."""
    return "" if text is None else clean(str(text))


def pretty(value: object) -> str:
    """Return JSON to be read by people, as foreign text."""
    return clean(json.dumps(value, ensure_ascii=False, indent=2))


def moment(at: datetime | None, *, zone: tzinfo = UTC) -> Markup:
    """Return an instant in a form that is unambiguous in any country, on one line."""
    if at is None:
        return Markup()
    utc, here = at.astimezone(UTC), at.astimezone(zone)
    written = f"{utc:%Y-%m-%dT%H:%MZ}", f"{here:%Y-%m-%d %H:%M %Z}"
    return Markup('<time class="when" datetime="{}">{}</time>').format(*written)


def day(at: date | None) -> str:
    """Return a day in the same form."""
    return "" if at is None else f"{at:%Y-%m-%d}"


def share(part: float, whole: float) -> str:
    """Return a part of a whole in percent."""
    return f"{100 * part / whole:.0f} %" if whole else "\u2013"
