"""What is said of a policy beside its text: what stays, what is taken away, what is named."""

from collections.abc import Callable, Coroutine
from datetime import date
from typing import Any

from core.ingest.metadata import NOTHING
from core.ingest.publish import Ingested
from core.ports import Unchanged

Ingest = Callable[..., Coroutine[Any, Any, Ingested]]

GIFTS = "# Gifts Policy\n\n## 1 Limits\n\n1.1 Employees may accept gifts of up to EUR 50.\n"
CHANGED = GIFTS.replace("EUR 50", "EUR 75")


async def test_what_is_said_of_a_text_stays_with_it(ingest: Ingest) -> None:
    """Its next review and who verified it: under another option, and when it is back; no other."""
    said = {"review_by": date(2026, 12, 1), "verified_by": "Bo"}
    await ingest(GIFTS, **said)
    tagged = (await ingest(GIFTS, tags=frozenset({"travel"}))).metadata
    assert {name: getattr(tagged, name) for name in said} == said
    changed = (await ingest(CHANGED)).metadata
    assert (changed.review_by, changed.verified_by) == (None, None)
    back = (await ingest(GIFTS)).metadata
    assert {name: getattr(back, name) for name in said} == said


async def test_what_is_taken_away_stays_away(ingest: Ingest) -> None:
    """Said again it changes nothing, and silence does not bring it back."""
    said = {
        "owner": "Legal",
        "sensitivity": "Internal",
        "url": "https://policies.example.com/gifts",
        "review_by": date(2026, 12, 1),
        "verified_by": "Bo",
    }
    nothing = dict.fromkeys(said, NOTHING)
    await ingest(GIFTS, **said)
    without = await ingest(GIFTS, **nothing)
    assert [getattr(without.metadata, name) for name in said] == [None] * len(said)
    assert isinstance((await ingest(GIFTS, **nothing)).result, Unchanged)
    tagged = (await ingest(GIFTS, tags=frozenset({"travel"}))).metadata
    assert [getattr(tagged, name) for name in said] == [None] * len(said)
    assert (await ingest(CHANGED)).metadata.owner is None


async def test_a_document_that_states_what_can_not_be_used_is_told(ingest: Ingest) -> None:
    """Each time, until somebody says it; a review that is past while the next one is not known."""
    matter = "url: http://a.example.com/\nlast review: 2027-01-31\nreview date: 2027-01-31"
    text = f"---\n{matter}\n---\n\n{GIFTS}"
    assert [note.split(" is not")[0] for note in (await ingest(text)).notes] == [
        "url 'http://a.example.com/'",
        "review date '2027-01-31'",
    ]
    done = await ingest(text, review_by=date(2027, 1, 31))
    assert [note.split(" is not")[0] for note in done.notes] == ["url 'http://a.example.com/'"]
    again = await ingest(text, url="https://a.example.com/")
    assert again.notes == ()
