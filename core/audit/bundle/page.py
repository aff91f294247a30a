"""The page of a bundle: what was asked, what was told, on which text, and how to check it.

It is read by people who have never seen the product, without a script and without a network. All
that it shows is text: the template escapes it.
"""

import base64
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape

from core.audit.bundle.contents import Bundle, BundledRecord, Passage
from core.audit.canonical import leaf_hash
from core.audit.checkpoint import checkpoint_of, signed_at
from core.domain.ontology import page_name

OUTCOMES: Mapping[str, tuple[str, str]] = {
    "answered": ("Answered", "good"),
    "refused": ("No answer given", "warn"),
    "clarification": ("Asked back", "quiet"),
    "escalated": ("Handed to Compliance", "warn"),
    "failed": ("Failed", "bad"),
    "ignored": ("Not taken as a question", "quiet"),
}
"""Words and colour of each outcome."""
EVENTS: Mapping[str, str] = {
    "message:received": "The message was received",
    "message:edited": "The asker changed the message",
    "message:deleted": "The asker deleted the message",
    "message:ignored": "The message was not taken as a question",
    "question:answered": "The answer was recorded",
    "question:refused": "It was recorded that there is no answer",
    "question:escalated": "It was recorded that a person must answer",
    "question:failed": "It was recorded that answering failed",
    "clarification:asked": "A question back was recorded",
    "clarification:answered": "The asker answered the question back",
    "clarification:expired": "The asker wrote something else instead",
    "assumption:stated": "The asker stated a fact",
    "assumption:revoked": "The asker took a fact back",
    "conflict:found": "Two policies contradict each other",
    "conflict:resolved": "An officer said which of them holds",
    "reply:posted": "The reply was posted",
    "reply:updated": "The posted reply was rewritten",
    "reply:withheld": "The reply was withheld: others could read there",
    "reply:uncertain": "It was not certain that the reply had arrived",
    "reply:abandoned": "The reply could not be posted",
    "reply:removed": "The reply was removed from the conversation",
    "feedback:given": "The answer was judged",
    "case:opened": "A case for Compliance was opened",
    "case:assigned": "An officer took the case",
    "case:acknowledged": "An officer acknowledged the report",
    "case:messaged": "An officer or the writer of the report wrote",
    "case:answered": "An officer answered",
    "case:resolved": "The asker said that this settles it",
    "case:reopened": "The asker said that this does not settle it",
    "case:closed": "The case was closed",
    "case:noted": "A note was added to the case",
    "answer:reviewed": "An officer judged the answer",
    "precedent:proposed": "An officer proposed this answer to be told to others",
    "precedent:approved": "A second officer approved it",
    "precedent:applied": "It was told",
    "answer:superseded": "The officer's answer took the place of the first one",
}
ERASED = "(erased)"
AROUND = 1_200
"""Characters of a section that are shown before and after a quote."""
_PAGES = Environment(
    loader=FileSystemLoader(Path(__file__).parent),
    autoescape=select_autoescape(default=True, default_for_string=True),
    undefined=StrictUndefined,
    trim_blocks=True,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class TrailEntry:
    """Something that was done, with what was said."""

    at: str
    what: str
    record_id: str
    who: str = ""
    text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class HighlightedQuote:
    """A quote within the text around it."""

    number: int
    where: str
    before: str
    quote: str
    after: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BundledQuestion:
    """One question with all that came of it."""

    record_id: str
    leaf: int
    leaf_hash: str
    question: str
    answer: str
    asked_at: str
    asker: str
    place: str
    outcome: str
    tone: str
    badge: str
    how: str
    assumed: Sequence[tuple[str, str]]
    sources: Sequence[HighlightedQuote]
    officer: Sequence[TrailEntry]
    trail: Sequence[TrailEntry]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Entry:
    record: BundledRecord
    document: Mapping[str, Any]
    bodies: Mapping[str, str]

    @property
    def said(self) -> TrailEntry:
        tag, rating = str(self.document["tag"]), self.document.get("rating")
        what = EVENTS.get(tag, tag)
        return TrailEntry(
            at=_moment(self.document["at"]),
            what=f"{what}: {rating}" if isinstance(rating, str) else what,
            record_id=self.record.record_id,
            who=f"officer {self.document['actor']['ref']}",
            text=self.bodies.get("reply") or self.bodies.get("reason", ""),
        )


def page_of(bundle: Bundle) -> str:
    """Return the page as HTML."""
    entries = [_entry(record) for record in bundle.records]
    closing = {
        str(one.document["trace_id"]): one
        for one in entries
        if one.document.get("outcome") and one.document.get("question")
    }
    stories = [_story(one, entries, bundle.passages) for one in closing.values()]
    told = {id_ for story in stories for id_ in (story.record_id, *_ids(story))}
    checkpoint = checkpoint_of(bundle.note)
    promised = sum(len(one.document.get("content", {})) for one in entries)
    sealed = datetime.fromtimestamp(signed_at(bundle.note) or 0, UTC)
    return _PAGES.get_template("page.html").render(
        page={
            "title": "What was asked, and what was answered",
            "about": bundle.about[:1].upper() + bundle.about[1:],
            "origin": checkpoint.origin,
            "sealed": f"{sealed:%d %B %Y, %H:%M} UTC",
            "stories": stories,
            "outcomes": Counter(story.outcome for story in stories).most_common(),
            "records": len(entries),
            "others": [one.said for one in entries if one.record.record_id not in told],
            "size": checkpoint.size,
            "root": base64.b64encode(checkpoint.root).decode(),
            "key": bundle.key.text(),
            "erased": promised - sum(len(one.bodies) for one in entries),
        }
    )


def _entry(record: BundledRecord) -> _Entry:
    return _Entry(
        record=record,
        document=json.loads(record.canonical),
        bodies={text.field: text.body for text in record.texts},
    )


def _ids(story: BundledQuestion) -> list[str]:
    return [one.record_id for one in (*story.officer, *story.trail)]


def _story(one: _Entry, entries: Sequence[_Entry], passages: Sequence[Passage]) -> BundledQuestion:
    document = one.document
    trace = document["trace_id"]
    told: Mapping[str, Any] = document.get("precedent") or {}
    precedent = told.get("id", "")
    belonging = [
        other
        for other in entries
        if other.document.get("trace_id") == trace or other.document.get("subject") == precedent
    ]
    by_officer = [other.said for other in belonging if _is_officers(other)]
    confidence: Mapping[str, Any] = document.get("confidence") or {}
    outcome, tone = OUTCOMES.get(str(document["outcome"]), (str(document["outcome"]), "quiet"))
    answer = _loaded(one.bodies.get("answer_json"))
    return BundledQuestion(
        record_id=one.record.record_id,
        leaf=one.record.leaf,
        leaf_hash=leaf_hash(one.record.canonical).hex(),
        question=one.bodies.get("question", ERASED),
        answer=one.bodies.get("answer", ERASED),
        asked_at=_moment(document["at"]),
        asker=str(document["actor"]["ref"]),
        place=f" in {str(document['question']['platform']).capitalize()}",
        outcome=outcome,
        tone=tone,
        badge=_badge(confidence),
        how=_how(document),
        assumed=sorted(_loaded(one.bodies.get("assumptions")).items()),
        sources=[_source(citation, passages) for citation in answer.get("citations", [])],
        officer=by_officer,
        trail=[other.said for other in belonging],
    )


def _is_officers(entry: _Entry) -> bool:
    document = entry.document
    return document["actor"]["kind"] == "officer" and document["tag"] != "record:viewed"


def _badge(confidence: Mapping[str, Any]) -> str:
    badge, calibrated = confidence.get("badge"), confidence.get("calibrated")
    if badge is None:
        return ""
    sure = f" ({int(calibrated * 100)}%)" if isinstance(calibrated, int | float) else ""
    return f"{str(badge).capitalize()} confidence{sure}"


def _how(document: Mapping[str, Any]) -> str:
    run: Mapping[str, Any] = document.get("run") or {}
    edition = f"edition {run['edition']} of the policies" if run.get("edition") else ""
    made = f"answered by {run['reasoner']}" if run.get("reasoner") else ""
    made = "answered by an officer" if document.get("precedent") else made
    release = f"release {document['release']}"
    return f"{', '.join(part for part in (edition, made, release) if part).capitalize()}."


def _source(citation: Mapping[str, Any], passages: Sequence[Passage]) -> HighlightedQuote:
    quote = str(citation["quote"])
    place = [
        str(citation["title"]),
        f"version {citation['version']}" if citation.get("version") else "",
        f"section {citation['section']}" if citation.get("section") else "",
        str(citation.get("section_title") or ""),
        page_name(str(citation.get("eid")), citation.get("page")),
    ]
    found = next((one for one in passages if one.holds(citation)), None)
    before, after = found.around(citation, AROUND) if found else ("", "")
    before, after = before.lstrip(), after.rstrip()
    return HighlightedQuote(
        number=int(citation["n"]),
        where=", ".join(part for part in place if part),
        before=before,
        quote=quote,
        after=after,
    )


def _moment(written: str) -> str:
    return written[:16].replace("T", " ")


def _loaded(body: str | None) -> dict[str, Any]:
    loaded: Any = json.loads(body) if body else {}
    return loaded if isinstance(loaded, dict) else {}  # pyright: ignore[reportUnknownVariableType]
