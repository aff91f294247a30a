"""What officers read in the console: records with their grounds, searches, policies, figures."""

import re
import zipfile
from dataclasses import replace
from pathlib import Path

import psycopg
import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from bot.officer.app import console_routes
from bot.officer.integrity import AnchorReader
from core.adapters.anchors.folder import FolderAnchor
from core.adapters.postgres.engine.ledger import Ledger
from core.adapters.postgres.engine.ledger import append as append_entries
from core.adapters.postgres.engine.roles import DatabaseRole
from core.adapters.postgres.record.sequencer import PostgresSequencer
from core.adapters.system import SystemClock, UuidSource
from core.audit.bundle.read import check_bundle
from core.audit.checkpoint import Checkpoint, LedgerKey, checkpoint_of
from core.audit.documents import Event
from core.domain.audit import Tag
from core.domain.errors import ConfigError
from core.domain.feedback import Rating
from core.domain.json_value import Json
from core.ingest.prepare import Overrides
from tests.casework import ASKER, office
from tests.databases import as_role
from tests.integration.officer.conftest import NEXT, QUESTION, ask
from tests.integration.record.sealing import all_sealable
from tests.life import PLATFORM_TABLES
from tests.officer_console import Console, Visitor, grant

NOBODY = "01890000-0000-7000-8000-000000000000"
HOSTILE = (
    "<script>alert(1)</script>\u202egnp.exe \u0007 \"'><img src=x onerror=alert(1)> " + "ß" * 300
)
RTL = "هل يمكنني قبول هدية؟ 🎁"


async def test_one_record_shows_the_text_it_rests_on(console: Console, ada: Visitor) -> None:
    """The quote is marked in its section, with what stands around it."""
    reply = await ask(console.service)
    status, page = await ada.get(f"/officer/records/{reply.receipt.record_id}")
    assert status == 200
    assert QUESTION in page
    quotes = re.findall(r"<mark>(.*?)</mark>", page, re.DOTALL)
    assert any(one.startswith("Employees may accept gifts with a value") for one in quotes)
    assert "stored text can" not in page
    assert reply.receipt.leaf_hash.hex() in page
    for stage in ("plan", "draft", "verify", "decide"):
        assert f'<th scope="row">{stage}</th>' in page


async def test_viewing_a_record_is_recorded_first(
    console: Console, ada: Visitor, engine: AsyncEngine
) -> None:
    """Who, and which; what can't be recorded is not shown."""
    reply = await ask(console.service)
    path = f"/officer/records/{reply.receipt.record_id}"
    await ada.get(path)
    async with engine.begin() as connection:
        found = await connection.execute(
            text(
                "SELECT actor, coalesce(subject, doc->>'cause') FROM audit.record"
                " WHERE tag = 'record:viewed'"
            )
        )
        assert found.all() == [("ada", reply.receipt.record_id)]
        await connection.execute(
            text(
                "ALTER TABLE audit.record ADD CONSTRAINT no"
                " CHECK (tag <> 'record:viewed') NOT VALID"
            )
        )
    status, page = await ada.get(path)
    assert status in {500, 503}
    assert QUESTION not in page


async def test_an_erased_record_still_shows(
    console: Console, ada: Visitor, engine: AsyncEngine
) -> None:
    """What remains of it, and that the rest was taken out."""
    reply = await ask(console.service)
    async with engine.begin() as connection:
        await connection.execute(text("ALTER TABLE audit.content DISABLE TRIGGER ALL"))
        await connection.execute(text("DELETE FROM audit.content"))
    status, page = await ada.get(f"/officer/records/{reply.receipt.record_id}")
    assert status == 200
    assert "Erased" in page
    assert QUESTION not in page
    assert await found(ada, "") == ["Erased"]
    failed: Json = [{"claim": 0, "check": "quote", "passed": False}]
    await append(engine, verdicts=failed)
    _, page = await ada.get("/officer/records")
    (_, path) = re.findall(r'class="result" href="([^"]+)"', page)[::-1]
    status, page = await ada.get(path)
    assert status == 200
    assert '<span class="bad-text">quote</span>' in page


async def test_a_record_of_any_kind_shows(
    console: Console, ada: Visitor, engine: AsyncEngine
) -> None:
    """Messages, posts, feedback, cases, what officers did: not only questions."""
    async with engine.begin() as connection:
        for statement in PLATFORM_TABLES:
            await connection.execute(text(statement))
    desk = office(engine)
    answer = await desk.answered()
    await desk.feedback.give(answer, ASKER, key="1", rating=Rating.NEGATIVE, comment="<b>no</b>")
    await desk.opened(answer)
    async with engine.connect() as connection:
        records = (await connection.execute(text("SELECT id, tag FROM audit.record"))).all()
    assert {row.tag for row in records} >= {"message:received", "reply:posted", "feedback:given"}
    for row in records:
        status, page = await ada.get(f"/officer/records/{row.id}")
        assert status == 200, row.tag
        assert "<b>no" not in page


async def test_an_altered_record_says_so(
    console: Console, ada: Visitor, engine: AsyncEngine
) -> None:
    """What does not have its hash is named on the page."""
    reply = await ask(console.service)
    async with engine.begin() as connection:
        await connection.execute(text("ALTER TABLE audit.content DISABLE TRIGGER ALL"))
        await connection.execute(
            text("UPDATE audit.content SET body = 'Something else?' WHERE field = 'question'")
        )
    _, page = await ada.get(f"/officer/records/{reply.receipt.record_id}")
    assert "This record was changed." in page
    assert "the text of &#39;question&#39; is not the one that was recorded" in page


@pytest.mark.parametrize(
    "path",
    ["records/nothing", f"records/{NOBODY}", "cases/1", f"cases/{NOBODY}", "policies/x", "x/y"],
)
async def test_what_is_not_there_is_said_so(console: Console, ada: Visitor, path: str) -> None:
    """With a page that leads on."""
    status, page = await ada.get(f"/officer/{path}")
    assert status == 404
    assert "There is nothing here" in page


async def found(visitor: Visitor, query: str) -> list[str]:
    """Return the questions that a search finds."""
    status, page = await visitor.get(f"/officer/records?{query}")
    assert status == 200
    return re.findall(r'class="result-question[^"]*" dir="auto">(.*?)</span>', page)


async def test_records_are_found_by_what_is_known_of_them(console: Console, ada: Visitor) -> None:
    """By words, pseudonym, policy, section, outcome, badge and day, and by all of them together."""
    parental = "How many days of parental leave do I get?"
    await ask(console.service)
    await ask(console.service, parental, asker="p-18")
    for query in (
        "words=accept+gifts",
        "words=%22up+to+EUR+50%22",
        "asker=p-17",
        "policy=gifts",
        "policy=gifts&section=2.1",
        "outcome=answered",
        "badge=high",
        "words=gifts&asker=p-17&policy=gifts&outcome=answered&since=2020-01-01&until=2999-01-01",
    ):
        assert await found(ada, query) == [QUESTION], query
    assert await found(ada, "") == [parental, QUESTION]
    assert await found(ada, "words=leave+-gifts") == [parental]
    for query in (
        "words=nowhere",
        "section=9.9",
        "asker=p-1",
        "until=2020-01-01",
        "since=2999-01-01",
    ):
        assert await found(ada, query) == [], query


@pytest.mark.parametrize(
    "query",
    [
        "words=%00&asker=%00",
        "words=%22%27%3B%29%28%21%26%7C%3A*%5C",
        "words=" + "a%20" * 2_000,
        "since=tomorrow&until=2026-13-45",
        "before=x_y&after=%00",
        "before=2026-01-01T00:00:00_" + NOBODY,
        "before=9999-12-31T23:59:59%2B00:00_" + NOBODY,
        "since=0001-01-01&until=9999-12-31",
        "outcome=%3Cscript%3E&badge=none",
        "words=%ED%A0%80",
    ],
)
async def test_a_search_takes_whatever_is_typed(console: Console, ada: Visitor, query: str) -> None:
    """What can't be understood is said, or finds nothing; nothing of it is believed."""
    status, page = await ada.get(f"/officer/records?{query}")
    assert status == 200
    assert "<script" not in page
    if "tomorrow" in query:
        assert "Expected a day" in page


async def test_pages_follow_each_other_without_gaps(
    console: Console, ada: Visitor, engine: AsyncEngine
) -> None:
    """Older and newer pages, by time and id, show each record once."""
    await ask(console.service, "Question 0?")
    await append(engine, 60)
    seen: list[str] = []
    last = path = "/officer/records?asker=p-17"
    while path:
        _, page = await ada.get(path)
        seen += re.findall(r'class="result" href="/officer/records/([^"]+)"', page)
        older = re.search(r'rel="next" href="([^"]+)"', page)
        last = path
        path = older[1].replace("&amp;", "&") if older else ""
    assert len(seen) == len(set(seen)) == 61
    _, page = await ada.get(last)
    newer = re.search(r'rel="prev" href="([^"]+)"', page)
    assert newer is not None
    _, page = await ada.get(newer[1].replace("&amp;", "&"))
    assert re.findall(r'class="result" href="/officer/records/([^"]+)"', page) == seen[25:50]


async def append(
    engine: AsyncEngine,
    count: int = 1,
    *,
    asker: str = "p-17",
    question: str = "Question?",
    **says: Json,
) -> None:
    """Append records of questions without an answer."""
    ledger = Ledger(clock=SystemClock(), ids=UuidSource(), unit="berlin")
    entries = [
        ledger.entry(
            Event(
                tag=Tag.QUESTION_REFUSED,
                actor=asker,
                actor_kind="asker",
                conversation=ledger.ids.new(),
                seq=1,
                subject=None,
                cause=None,
                trace_id=None,
                says={"outcome": "refused", **says},
            ),
            at=ledger.clock.now(),
            content={"question": question},
        )
        for _ in range(count)
    ]
    async with engine.begin() as connection:
        await append_entries(connection, entries)


@pytest.mark.parametrize("question", [HOSTILE, RTL, "a" * 7_900, "Donau" * 60 + "?"])
async def test_foreign_text_stays_text(console: Console, ada: Visitor, question: str) -> None:
    """In lists and on the page of the record; nothing invisible is left of it."""
    reply = await ask(console.service, question)
    for path in ("/officer/records", f"/officer/records/{reply.receipt.record_id}"):
        status, page = await ada.get(path)
        assert status == 200
        assert "<script" not in page
        assert "<img src=x" not in page
        assert "\u202e" not in page
        assert "\u0007" not in page


async def test_what_a_reader_can_not_see_is_taken_out(
    console: Console, ada: Visitor, engine: AsyncEngine
) -> None:
    """Of a record as it stands, whoever wrote it: in lists and on its page."""
    hidden = "May I\u202e accept \u0007\u200bgifts\u2066?"
    await append(engine, question=hidden)
    _, page = await ada.get("/officer/records")
    (record,) = re.findall(r'class="result" href="(/officer/records/[^"]+)"', page)
    for path in ("/officer/records", record):
        _, page = await ada.get(path)
        assert "May I accept gifts?" in page
        assert not set("\u202e\u0007\u200b\u2066") & set(page)


async def test_words_are_looked_for_in_ones_own_units(
    console: Console, database_url: str, engine: AsyncEngine
) -> None:
    """By the function itself, which no row-level security limits."""
    await append(engine, 3, question="May I accept gifts?")
    grant(database_url, "paul", units="{munich}")
    url = as_role(database_url, DatabaseRole.CONSOLE)
    for login, ids in (("ada", 3), ("paul", 0)):
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute("SELECT set_config('citebound.officer', %s, false)", (login,))
            row = connection.execute("SELECT audit.records_with_words('gifts', 5)").fetchone()
            assert row is not None
            assert len(row[0]) == ids
            row = connection.execute("SELECT audit.records_with_words('gifts', 2)").fetchone()
            assert row == (None if ids else [],)


async def test_a_sealed_record_has_its_proof_and_leaves_with_it(
    console: Console, ada: Visitor, engine: AsyncEngine
) -> None:
    """The leaf leads to the signed root; the bundle verifies itself, and its export is recorded."""
    reply = await ask(console.service)
    record = reply.receipt.record_id
    path = f"/officer/records/{record}"
    _, page = await ada.get(f"{path}/proof")
    assert "not sealed yet" in page
    key = LedgerKey.generate("citebound")
    await all_sealable(engine)
    await PostgresSequencer(engine, key=key, deployment="citebound").seal()
    _, page = await ada.get(f"{path}/proof")
    assert "leads to the root of the checkpoint" in page
    assert "citebound/audit/1" in page
    fields = await ada.fields(path)
    status, page = await ada.post("/officer/records/export", fields)
    assert status == 409
    assert "no trusted key" in page


async def test_a_console_without_a_login_of_its_own_is_refused(console: Console) -> None:
    """With the setting that is missing; nothing is served."""
    service = console.service
    service.settings = replace(service.settings, record_url=None)
    with pytest.raises(ConfigError, match="CITEBOUND_CONSOLE_URL needs CITEBOUND_RECORD_URL"):
        async with console_routes(service):
            pass


@pytest.mark.parametrize("selection", ["record", "policy", "days"])
async def test_an_export_proves_itself(
    console: Console, ada: Visitor, engine: AsyncEngine, tmp_path: Path, selection: str
) -> None:
    """What the browser gets passes the check that every bundle passes; that it left is recorded."""
    reply = await ask(console.service)
    key = LedgerKey.generate("citebound")
    (tmp_path / "ledger-key.pem").write_bytes(key.to_pem())
    await all_sealable(engine)
    await PostgresSequencer(engine, key=key, deployment="citebound").seal()
    path, form = {
        "record": (f"/officer/records/{reply.receipt.record_id}", {}),
        "policy": ("/officer/records?policy=gifts", {"policy": "gifts"}),
        "days": ("/officer/records?since=2020-01-01", {"since": "2020-01-01"}),
    }[selection]
    fields = await ada.fields(path)
    assert form.items() <= fields.items(), "the form of the page holds what was looked for"
    status, _ = await ada.post("/officer/records/export", fields)
    assert status == 200
    assert ada.headers["Content-Type"] == "application/zip"
    assert ada.headers["Content-Disposition"].startswith('attachment; filename="record')
    bundle = tmp_path / "bundle.zip"
    bundle.write_bytes(ada.body)
    checked = check_bundle(bundle, [key.public], [])
    assert checked.problem is None
    assert checked.shown
    with zipfile.ZipFile(bundle) as held:
        assert reply.receipt.record_id in held.read("records.jsonl").decode()
        assert QUESTION in held.read("contents.jsonl").decode()
    async with engine.connect() as connection:
        rows = await connection.execute(
            text("SELECT actor, doc->>'selection' FROM audit.record WHERE tag = 'bundle:exported'")
        )
        ((actor, said),) = rows.all()
    assert actor == "ada"
    assert {"record": reply.receipt.record_id, "policy": "gifts", "days": "2020-01-01"}[
        selection
    ] in said


async def test_another_unit_is_not_there(
    console: Console, ada: Visitor, engine: AsyncEngine
) -> None:
    """By no search, no id, no count and no proof."""
    reply = await ask(console.service)
    async with engine.begin() as connection:
        await connection.execute(
            text("UPDATE audit.officer SET units = '{munich}' WHERE login = 'ada'")
        )
    path = f"/officer/records/{reply.receipt.record_id}"
    assert (await ada.get(path))[0] == 404
    assert (await ada.get(f"{path}/proof"))[0] == 404
    for query in ("", "words=gifts", "asker=p-17", "policy=gifts"):
        assert await found(ada, query) == []
    assert "No questions yet" in (await ada.get("/officer"))[1]


async def test_policies_show_their_versions_and_what_changed(
    console: Console, ada: Visitor
) -> None:
    """Word by word, with the sections that answers rest on."""
    await ask(console.service)
    await console.service.ingestor.ingest(
        NEXT.encode(), source_name="gifts.md", given=Overrides(), with_chunks=True
    )
    _, page = await ada.get("/officer/policies")
    assert "Gifts Policy" in page
    _, page = await ada.get("/officer/policies/gifts")
    assert "/officer/policies/gifts/versions/2" in page
    assert "policy=gifts&amp;section=2.1" in page
    _, page = await ada.get("/officer/policies/gifts/changes")
    assert re.findall(r"<del>(.*?)</del>", page) == ["50"]
    assert re.findall(r"<ins>(.*?)</ins>", page) == ["40"]
    _, page = await ada.get("/officer/policies/gifts/changes?from=1&to=1")
    assert "No difference" in page
    assert (await ada.get("/officer/policies/gifts/changes?from=1&to=9"))[0] == 404
    _, page = await ada.get("/officer/policies/gifts/versions/1")
    assert "EUR 50 per giver" in page


async def test_the_overview_counts(console: Console, ada: Visitor) -> None:
    """Outcomes and badges of the questions; nothing is called intact without evidence."""
    _, page = await ada.get("/officer")
    assert "No questions yet" in page
    assert "Nothing is sealed yet" in page
    await ask(console.service)
    await ask(console.service, "How many days of parental leave do I get?")
    _, page = await ada.get("/officer")
    assert re.search(r"Answered</dt><dd>50 %</dd>", page)
    assert 'class="chart"' in page
    assert "intact" not in page.lower()


async def test_the_overview_compares_with_anchors(
    console: Console, ada: Visitor, engine: AsyncEngine, tmp_path: Path
) -> None:
    """What an anchor holds and the database lacks is an alarm; so is to have no anchor."""
    await ask(console.service)
    key = LedgerKey.generate("citebound")
    sequencer = PostgresSequencer(engine, key=key, deployment="citebound")
    await all_sealable(engine)
    sealed = await sequencer.seal()
    assert "No checkpoint is kept outside" in (await ada.get("/officer"))[1]
    anchor = FolderAnchor(tmp_path / "anchor")
    reader = AnchorReader(lambda: [anchor], clock=SystemClock())
    roots = {sealed.size: checkpoint_of(sealed.note).root}

    async def root_of(checkpoint: Checkpoint) -> bytes | None:
        return roots.get(checkpoint.size)

    assert [one.finding for one in await reader.compare(root_of)] == ["empty"]
    await anchor.publish(sealed.note)
    assert [one.finding for one in await reader.compare(root_of)] == ["empty"]  # a minute old
    reader = AnchorReader(lambda: [anchor], clock=SystemClock())
    (found,) = await reader.compare(root_of)
    assert (found.finding, found.size) == ("agrees", sealed.size)
    roots[sealed.size] = b"x" * 32
    assert [one.finding for one in await reader.compare(root_of)] == ["differs"]
    roots.clear()
    assert [one.finding for one in await reader.compare(root_of)] == ["differs"]


async def test_few_askers_show_in_no_topic(
    console: Console, ada: Visitor, engine: AsyncEngine
) -> None:
    """Who asked could be told; from five people on it is a topic."""
    near = {"nearest_sections": [{"policy": "gifts", "section": "2.1"}]}
    for number in range(4):
        await append(engine, asker=f"p-{number}", refusal=near)
    await append(engine, asker="p-3", refusal=near)
    _, page = await ada.get("/officer")
    assert "No topic on which at least five people" in page
    await append(engine, asker="p-4", refusal=near)
    _, page = await ada.get("/officer")
    assert re.search(r"gifts</bdi></a> <bdi>2.1</bdi></th><td class=.num.>6<", page)
