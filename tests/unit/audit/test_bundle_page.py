"""The page of a bundle: all a regulator needs to read, and nothing of it anything but text."""

import hashlib
import json
import re
from html.parser import HTMLParser
from typing import Any
from uuid import UUID

from core.audit.bundle.contents import Bundle, BundledRecord, BundledText, Passage
from core.audit.bundle.page import page_of
from core.audit.canonical import canonical
from core.audit.checkpoint import Checkpoint, LedgerKey
from core.domain.json_value import Json

KEY = LedgerKey.generate("acme")
QUOTE = "Employees may accept gifts with a value of up to EUR 50."
BEFORE, AFTER = "2 Limits\n\n2.1 ", " The report names the giver."
HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(2)> \"'&{{ 7 * 7 }} </p>\u202e"


def record(
    n: int, tag: str, *, texts: dict[str, str], actor: str = "asker", **says: Json
) -> BundledRecord:
    document: dict[str, Json] = {
        "v": 1, "id": str(UUID(int=n)), "tag": tag, "at": f"2026-03-01T10:0{n}:00.000000Z",
        "unit": "berlin", "actor": {"kind": actor, "ref": "ada" if actor == "officer" else "p-7"},
        "conversation": None, "seq": None, "subject": None, "cause": None, "release": "0.1.0",
        "trace_id": "t-1", "content": {field: hashlib.sha256(body.encode()).hexdigest()
                                       for field, body in texts.items()}, **says,
    }  # fmt: skip
    kept = [BundledText(field=field, salt=bytes(32), body=body) for field, body in texts.items()]
    return BundledRecord(
        record_id=str(UUID(int=n)), canonical=canonical(document), leaf=n, path=(), texts=kept
    )


def page(question: str, answer: str, reply: str, *, records: int = 3) -> str:
    citation = {
        "n": 1, "quote": QUOTE, "version_id": 4, "char_start": 100 + len(BEFORE),
        "char_end": 100 + len(BEFORE) + len(QUOTE), "title": f"Gifts {question}", "version": "2.0",
        "section": "2.1", "section_title": "", "page": 3,
    }  # fmt: skip
    outcome = record(
        1, "question:answered", outcome="answered", question={"platform": "slack"},
        confidence={"badge": "high", "calibrated": 0.934}, run={"edition": 3, "reasoner": "rules"},
        texts={
            "question": question, "answer": answer, "assumptions": json.dumps({question: answer}),
            "answer_json": json.dumps({"citations": [citation]}),
        },
    )  # fmt: skip
    found = [
        outcome,
        record(2, "case:answered", actor="officer", texts={"reply": reply}),
        record(3, "reply:posted", texts={}),
    ]
    checkpoint = Checkpoint(origin="acme/audit/1", size=9, root=bytes(32))
    return page_of(
        Bundle(
            note=KEY.sign(checkpoint, at=1_790_000_000),
            key=KEY.public,
            around=[],
            records=found[:records],
            passages=[
                Passage(
                    version_id=4,
                    policy="gifts",
                    title="Gifts",
                    section="2",
                    sha256="00",
                    char_start=100,
                    text=f"{BEFORE}{QUOTE}{AFTER}",
                )
            ],
            about="answers that rest on the policy gifts",
        )
    )


class Words(HTMLParser):
    """What a reader sees, and which elements there are."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.text: list[str] = []
        self.elements: set[str] = set()
        self.attributes: set[str] = set()
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.add(tag)
        self.attributes |= {name for name, _ in attrs}

    def handle_data(self, data: str) -> None:
        self.text.append(data)

    @property
    def words(self) -> str:
        return re.sub(r"\s+", " ", "".join(self.text))


def test_it_says_what_was_asked_told_and_on_which_text() -> None:
    html = page("May I take a gift?", "Up to EUR 50. [1]", "Ask me first.")
    words = Words(html).words
    for told in (
        "Answers that rest on the policy gifts.", "May I take a gift?", "Up to EUR 50. [1]",
        "High confidence (93%)", "2026-03-01 10:01", "version 2.0, section 2.1, page 3",
        "officer ada: An officer answered", "Ask me first.", "The reply was posted",
        "python3 verify.py", KEY.public.text(), "size 9", "Edition 3 of the policies",
    ):  # fmt: skip
        assert told in words, told
    assert f"{BEFORE}<mark>{QUOTE}</mark>{AFTER}" in html


def test_hostile_texts_are_text() -> None:
    """In every place that somebody outside writes to; and the page allows no script at all."""
    plain = Words(page("May I?", "Yes.", "No."))
    html = page(HOSTILE, HOSTILE, HOSTILE)
    hostile = Words(html)
    assert hostile.elements == plain.elements
    assert hostile.attributes == plain.attributes
    assert hostile.words.count("<script>alert(1)</script>") == 6
    assert "{{ 7 * 7 }}" in hostile.words
    assert "default-src 'none'; style-src 'unsafe-inline'" in html
    assert not {"script", "img", "iframe", "link", "object"} & hostile.elements
    assert "http://" not in html
    assert "https://" not in html


def test_without_a_question_the_records_are_listed() -> None:
    bundle: Any = Bundle(
        note=KEY.sign(Checkpoint(origin="acme/audit/1", size=9, root=bytes(32)), at=1_790_000_000),
        key=KEY.public, passages=[], around=[], about="since 2026-01-01",
        records=[record(1, "policy:withdrawn", actor="operator", texts={})],
    )  # fmt: skip
    assert "policy:withdrawn" in Words(page_of(bundle)).words
    assert "No question is among these records." in Words(page_of(bundle)).words
