"""The page of a bundle: all a regulator needs to read, and nothing of it anything but text."""

import re
from html.parser import HTMLParser

from core.audit.bundle.write import Bundle
from tests.unit.audit.bundles import (
    AFTER,
    BEFORE,
    KEY,
    POLICY,
    QUOTE,
    answered,
    bundle_of,
    files_of,
    publication,
    record,
    sample,
)

HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(2)> \"'&{{ 7 * 7 }} </p>\u202e"


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


def page(bundle: Bundle) -> str:
    return files_of(bundle)["index.html"].decode()


def test_it_says_what_was_asked_told_and_on_which_text() -> None:
    html = page(sample())
    words = Words(html).words
    for told in (
        "May I take a gift?", "Up to EUR 50. [1]", "High confidence (93%)", "2026-03-01 10:01",
        "version 2.0, section 2.1, page 3", "officer ada: Case answered", "Ask me first.",
        "Reply posted", "Policies published", "python3 verify.py",
        "From policies/4.txt, as it was published.", KEY.public.text(), "size 8",
        "Edition 3 of the policies", "sealed after 2026-03-01 10:00:20 and before 2026-03-01",
    ):  # fmt: skip
        assert told in words, told
    assert f"{BEFORE}<mark>{QUOTE}</mark>{AFTER}" in html


def test_what_the_published_policy_does_not_say_is_told() -> None:
    """The quote is what was shown; whether it stands in the policy is another matter."""
    other = POLICY.replace("EUR 50", "EUR 40")
    html = page(bundle_of(publication(other), answered(), policies={4: other}))
    assert "The policy that was published says something else here." in html
    assert f"<mark>{QUOTE}</mark>" in html
    assert AFTER.strip() not in html
    without = page(bundle_of(publication(), answered()))
    assert "published says" not in without
    assert AFTER.strip() not in without


def test_hostile_texts_are_text() -> None:
    """In every place that somebody outside writes to; and the page allows no script at all."""
    plain = Words(page(sample()))
    html = page(sample(HOSTILE, question=HOSTILE, answer=HOSTILE))
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
    bundle = bundle_of(record(1, "policy:withdrawn", actor="operator", texts={}))
    words = Words(page(bundle)).words
    assert "policy:withdrawn" in words
    assert "No question is among these records." in words
