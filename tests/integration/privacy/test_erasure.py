"""What is erased is nowhere any more, what is not is whole, and the ledger proves both."""

import asyncio
import subprocess
import sys
import zipfile
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import replace
from datetime import date, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from core.adapters.postgres.engine.ledger import append
from core.adapters.postgres.officers import erasure as erasing
from core.adapters.postgres.officers.erasure import WORDS, PostgresErasure, purge_files
from core.adapters.postgres.officers.requests import ErasureScope, PostgresRequests, Request
from core.adapters.postgres.officers.session import OfficerDeed
from core.adapters.postgres.record.export import Selection, read_bundle
from core.audit.bundle.write import write_bundle
from core.audit.documents import Event
from core.audit.verification import ProblemClass
from core.domain.audit import Tag
from core.domain.case import Opener
from core.domain.errors import UsageError
from core.domain.feedback import Rating, Reason
from core.domain.json_value import Json
from core.domain.message import MessageKind
from tests.casework import ADA, ASKER, Office, fresh
from tests.databases import UnrecordedReader
from tests.integration.privacy.conftest import BASIS, LEDGER
from tests.integration.record.sealing import SealedLedger, all_sealable
from tests.life import PSEUDONYMS, Deployment, message

HERS = ("zebrafinch", "quaggawords", "okapinote", "ibexcomment", "tapirname", "numbatreply",
        "axolotledit")  # fmt: skip
"""A word of each text of the subject, and the officer's words to her."""
Agreed = Callable[[ErasureScope], Awaitable[str]]
THEIRS = ("wombatquestion", "dugonganswer")
TABLES = text(
    "SELECT c.oid::regclass::text AS name, pg_relation_filepath(c.oid) AS file"
    " FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = relnamespace"
    " WHERE nspname IN ('citebound', 'audit', 'pg_toast') AND relkind IN ('r', 't', 'i', 'm')"
)


async def lived(bureau: Office) -> None:
    """Ask, edit, complain, hand over and get an answer; somebody else asks in the same thread."""
    answer = await bureau.answered(
        "May I keep the zebrafinch?", words="Never quaggawords.", thread="1"
    )
    await bureau.feedback.give(
        answer,
        ASKER,
        key=fresh(),
        rating=Rating.NEGATIVE,
        reason=Reason.OTHER,
        comment="ibexcomment",
        message_id="171.001",
    )
    case = await bureau.opened(
        answer, note="okapinote", opener=Opener.ASKER, asker_name="tapirname"
    )
    await bureau.desk.answer(case, ADA, key=fresh(), text="numbatreply")
    await bureau.deliver()
    await bureau.desk.close(case, ADA, key=fresh())
    await bureau.deliver()
    life = bureau.life
    await life.intake.accept(message("Is it paid?", key="m:7", thread="2", channel="DFERRET"))
    edited = message(
        "Is axolotledit paid?", key="m:7:edited:1", target="m:7", kind=MessageKind.EDITED,
        thread="2", channel="DFERRET",
    )  # fmt: skip
    await life.intake.accept(edited)
    async with life.working():
        await life.quiet()
    await bureau.answered(
        "What of wombatquestion?", words="Yes, dugonganswer.", thread="1", person="U2"
    )


async def left(connection: AsyncConnection, words: Iterable[str]) -> dict[str, list[str]]:
    """Return which words any table still tells, statistics among them."""
    names = [row.name for row in await connection.execute(TABLES)]
    found: dict[str, list[str]] = {}
    for name in [*(one for one in names if not one.startswith("pg_toast")), "pg_statistic"]:
        kinds = "SELECT relkind FROM pg_class WHERE oid = CAST(:name AS regclass)"
        if await connection.scalar(text(kinds), {"name": name}) != "r":
            continue
        for word in words:
            hits = await connection.scalar(
                text(f"SELECT count(*) FROM {name} AS t WHERE t::text ILIKE :word"),  # noqa: S608
                {"word": f"%{word}%"},
            )
            if hits:
                found.setdefault(word, []).append(name)
    return found


async def in_files(connection: AsyncConnection, words: Iterable[str]) -> dict[str, list[str]]:
    """Return which words the files of tables and indexes hold."""
    await connection.execute(text("CHECKPOINT"))
    home = Path(str(await connection.scalar(text("SHOW data_directory"))))
    rows = (await connection.execute(TABLES)).all()
    found: dict[str, list[str]] = {}
    for row in rows:
        data = (home / row.file).read_bytes() if row.file and (home / row.file).exists() else b""
        for word in words:
            if word.encode() in data:
                found.setdefault(word, []).append(row.name)
    return found


async def pseudonym(life: Deployment, person: str = "U1") -> str:
    match = PSEUDONYMS.match_hash(replace(ASKER, person=person))
    (row,) = await life.rows("SELECT pseudonym FROM audit.identity WHERE match_hash = :m", m=match)
    return str(row["pseudonym"])


async def test_nothing_of_a_person_is_left(
    bureau: Office,
    erasure: PostgresErasure,
    agreed: Agreed,
    sealed: SealedLedger,
    engine: AsyncEngine,
) -> None:
    """Not in any table, sample, index or file; what others wrote is whole; the proofs are valid."""
    await lived(bureau)
    asker = await pseudonym(bureau.life)
    await all_sealable(sealed.engine)
    await sealed.seal()
    async with engine.begin() as connection:
        await connection.execute(text("DROP TABLE posts, paid"))  # the platform's, and a model's
    async with engine.connect() as connection:
        await connection.execute(text("ANALYZE"))
        before = await left(connection, (*HERS, *THEIRS, "171.001"))
    assert before.keys() == {*HERS, *THEIRS, "171.001"}
    assert not any("pg_statistic" in tables for tables in before.values())
    found = await erasure.find(ErasureScope(asker=asker))
    assert found.obstacles == {}
    erased = await erasure.erase(await agreed(ErasureScope(asker=asker)))
    assert erased.count == found.count > 20
    async with engine.connect() as connection:
        assert await left(connection, (*HERS, "171.001", "DFERRET")) == {}
        assert set(await left(connection, THEIRS)) == set(THEIRS)
    people = "SELECT person FROM citebound.{} WHERE person = 'U1'"
    for table in ("inbox", "outbox", "cases"):
        assert await bureau.life.rows(people.format(table)) == []
    match = PSEUDONYMS.match_hash(ASKER)
    assert await bureau.life.rows("SELECT FROM audit.identity WHERE match_hash = :m", m=match) == []
    await purge_files(engine, is_full=False)
    async with engine.connect() as connection:
        words = await in_files(connection, (*HERS, *THEIRS))
    assert {word for word, files in words.items() if WORDS in files} == set(THEIRS)
    await purge_files(engine, is_full=True)
    async with engine.connect() as connection:
        assert await in_files(connection, HERS) == {}
        assert set(await in_files(connection, THEIRS)) == set(THEIRS)
    await all_sealable(sealed.engine)
    await sealed.seal()
    verified = await sealed.verify()
    assert (verified.problems, verified.lacks) == ([], [])
    assert (verified.result, verified.erased) == ("intact", found.count)


async def test_one_question_goes_alone(
    bureau: Office,
    erasure: PostgresErasure,
    agreed: Agreed,
    sealed: SealedLedger,
    engine: AsyncEngine,
) -> None:
    """Its texts, and what later questions of the thread repeat of them; the asker stays known."""
    await bureau.answered("What of a zebrafinch?", words="Yes, quaggawords.")
    await bureau.answered("And of wombatquestion?", words="No, dugonganswer.")
    (record,) = await bureau.life.rows(
        "SELECT id::text FROM audit.record WHERE outcome IS NOT NULL ORDER BY seq LIMIT 1"
    )
    await erasure.erase(await agreed(ErasureScope(record_id=str(record["id"])[:24])))
    async with engine.connect() as connection:
        assert await left(connection, ("zebrafinch", "quaggawords")) == {}
        assert set(await left(connection, THEIRS)) == set(THEIRS)
    assert await pseudonym(bureau.life)
    history = await bureau.life.conversations.history(
        str((await bureau.life.rows("SELECT id FROM citebound.conversations LIMIT 1"))[0]["id"])
    )
    assert [turn.question for turn in history] == ["And of wombatquestion?"]
    await all_sealable(sealed.engine)
    await sealed.seal()
    assert (await sealed.verify()).result == "intact"


async def test_it_takes_another_officer(
    bureau: Office,
    erasure: PostgresErasure,
    requests_of: Callable[[str], PostgresRequests],
    engine: AsyncEngine,
) -> None:
    """Of the unit, who was not revoked, and lately; and who erases is who has asked."""
    await bureau.answered()
    asking, scope = requests_of("ada"), ErasureScope(asker=await pseudonym(bureau.life))
    request = await asking.ask_to_erase(scope, basis=BASIS)
    with pytest.raises(UsageError, match="no other officer of the unit test has approved"):
        await erasure.erase(request)
    with pytest.raises(UsageError, match="another officer decides: ada has asked"):
        await asking.decide(request, approves=True)
    for login, why in (("linus", "expected the id of a record of your units"), ("nobody", "id")):
        with pytest.raises(UsageError, match=why):
            await requests_of(login).decide(request, approves=True)
    await requests_of("grace").decide(request, approves=True)
    with pytest.raises(UsageError, match="decided already"):
        await requests_of("grace").decide(request, approves=False)
    other = PostgresErasure(requests_of("grace")._session)  # pyright: ignore[reportPrivateUsage]
    with pytest.raises(UsageError, match="no other officer"):
        await other.erase(request)
    revoke = text("UPDATE audit.officer SET revoked_at = CASE login WHEN :login THEN now() END")
    for login, why in (("grace", "no other officer"), ("ada", "expected the id of a record")):
        async with engine.begin() as connection:
            await connection.execute(revoke, {"login": login})
        with pytest.raises(UsageError, match=why):
            await erasure.erase(request)
    denied = await requests_of("grace").ask_to_erase(scope, basis=BASIS)
    async with engine.begin() as connection:
        await connection.execute(revoke, {"login": "nobody"})
    await asking.decide(denied, approves=False)
    with pytest.raises(UsageError, match="no other officer"):
        await other.erase(denied)
    assert (await bureau.life.rows("SELECT text FROM citebound.questions"))[0]["text"]
    assert (await erasure.erase(request)).count > 0


async def test_an_approval_is_of_what_was_asked_for(
    bureau: Office,
    erasure: PostgresErasure,
    agreed: Agreed,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The database itself compares each text that goes with the request."""
    await bureau.answered("What of a zebrafinch?")
    await bureau.answered("What of a wombat?", person="U2", thread="2")
    hers = ErasureScope(asker=await pseudonym(bureau.life))
    theirs = ErasureScope(asker=await pseudonym(bureau.life, "U2"))
    (row,) = await bureau.life.rows("SELECT clock_timestamp() AS now")
    assert isinstance(row["now"], datetime)
    old, all_there_is = (
        ErasureScope(before=row["now"] + timedelta(hours=hours)) for hours in (-1, 1)
    )
    one, another = (
        ErasureScope(record_id=str(row["id"]))
        for row in await bureau.life.rows("SELECT id FROM audit.record WHERE outcome IS NOT NULL")
    )
    places = replace(all_there_is, only_places=True)
    find = erasing.find_request
    for approved, done in (
        (hers, theirs),
        (one, another),
        (old, theirs),
        (hers, all_there_is),
        (old, all_there_is),
        (places, all_there_is),
    ):

        async def other(deed: OfficerDeed, typed: str, scope: ErasureScope = done) -> Request:
            return replace(await find(deed, typed), scope=scope)

        monkeypatch.setattr(erasing, "find_request", other)
        with pytest.raises(UsageError, match="not what was approved"):
            await erasure.erase(await agreed(approved))
    assert len(await bureau.life.rows("SELECT FROM citebound.questions WHERE text <> ''")) == 2


async def test_nothing_leaves_without_its_record(
    bureau: Office,
    erasure: PostgresErasure,
    agreed: Agreed,
    sealed: SealedLedger,
    engine: AsyncEngine,
) -> None:
    """Also of the owner and a superuser, who can't write that record themselves."""
    await bureau.answered()
    scope = ErasureScope(asker=await pseudonym(bureau.life))
    found = await erasure.find(scope)
    document = LEDGER.entry(
        Event(
            tag=Tag.CONTENT_ERASED, actor="ada", actor_kind="officer", conversation=None, seq=None,
            subject=None, cause=None, trace_id=None, says={"erased": dict(found.texts)},
        ),
        at=LEDGER.clock.now(),
        content={},
    )  # fmt: skip
    deleting = "DELETE FROM audit.content"
    for role in ("NONE", "citebound_owner"):
        async with engine.connect() as connection:
            await connection.execute(text(f"SET LOCAL ROLE {role}"))
            with pytest.raises(DBAPIError, match="append-only"):
                await connection.execute(text(deleting))
    async with engine.connect() as connection:
        with pytest.raises(DBAPIError, match="recorded by the function"):
            await append(connection, [document])
    await erasure.erase(await agreed(scope))
    assert (await erasure.erase(await agreed(scope))).count == 0
    async with engine.connect() as connection:
        with pytest.raises(DBAPIError, match="append-only"):  # that was another transaction
            await connection.execute(text(deleting))
    await all_sealable(sealed.engine)
    await sealed.seal()
    assert (await sealed.verify()).result == "intact"


async def test_a_text_that_is_gone_otherwise_or_back_again_is_named(
    bureau: Office,
    erasure: PostgresErasure,
    agreed: Agreed,
    sealed: SealedLedger,
    engine: AsyncEngine,
) -> None:
    """By whoever can put down the triggers."""
    await bureau.answered("What of a zebrafinch?")
    async with engine.connect() as connection:
        (kept, *_) = (
            await connection.execute(text("SELECT * FROM audit.content WHERE field = 'question'"))
        ).mappings()
    await erasure.erase(await agreed(ErasureScope(asker=await pseudonym(bureau.life))))
    await bureau.answered("What of a wombat?", person="U2", thread="2")
    await all_sealable(sealed.engine)
    await sealed.seal()
    await sealed.tamper("DELETE FROM audit.content WHERE field = 'answer'")
    async with engine.begin() as connection:
        await connection.execute(
            text(
                "INSERT INTO audit.content (record_id, field, salt, body)"
                " VALUES (:record_id, :field, :salt, :body)"
            ),
            dict(kept),
        )
    problems = (await sealed.verify()).problems
    assert {(one.kind, one.record) for one in problems if one.record == str(kept["record_id"])} == {
        (ProblemClass.CONTENT_RESTORED, str(kept["record_id"]))
    }
    assert [one.kind for one in problems].count(ProblemClass.CONTENT_MISSING) == 1
    view = await UnrecordedReader(engine).show(str(kept["record_id"]))
    assert view is not None
    assert view.problems == ("the text of 'question' was erased, and is there again",)


async def test_what_is_not_finished_stays(
    bureau: Office, erasure: PostgresErasure, agreed: Agreed, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A question that is being answered, and a case that is open, are named."""
    await bureau.life.intake.accept(message("What of a zebrafinch?", person="U2", thread="2"))
    scope = ErasureScope(asker=await pseudonym(bureau.life, "U2"))
    with pytest.raises(UsageError, match="being answered"):
        await erasure.erase(await agreed(scope))
    await bureau.opened()
    request = await agreed(ErasureScope(asker=await pseudonym(bureau.life)))
    with pytest.raises(UsageError, match=r"case 1 is open"):
        await erasure.erase(request)
    monkeypatch.setattr(erasing, "refuse_held", all_free)
    with pytest.raises(UsageError, match="nothing was erased"):  # the database itself looks, too
        await erasure.erase(request)


def all_free(found: erasing.Found) -> None:
    """Let all be erased that nobody looks at."""
    found.obstacles.clear()  # type: ignore[attr-defined]


async def test_two_at_once_erase_once(
    bureau: Office, erasure: PostgresErasure, agreed: Agreed
) -> None:
    """The second finds that it is gone, and records nothing."""
    await bureau.answered()
    request = await agreed(ErasureScope(asker=await pseudonym(bureau.life)))
    done: list[bool] = []

    async def attempt() -> None:
        try:
            done.append((await erasure.erase(request)).count > 0)
        except UsageError:
            done.append(False)

    async with asyncio.TaskGroup() as group:
        for _ in range(3):
            group.create_task(attempt())
    assert sorted(done) == [False, False, True]
    assert len(await bureau.tags("content:%")) == 1


async def test_what_is_old_goes_by_its_date(
    bureau: Office, erasure: PostgresErasure, agreed: Agreed, sealed: SealedLedger
) -> None:
    """All of it but what is held, in as many records as it takes; places alone, if wished."""
    await bureau.answered("What of a zebrafinch?")
    await bureau.answered("What of a wombat?", person="U2", thread="2")
    await erasure.place_hold({"asker": await pseudonym(bureau.life, "U2")}, reason="17 O 12/26")
    (now,) = await bureau.life.rows("SELECT clock_timestamp() AS now")
    before = now["now"]
    assert isinstance(before, datetime)
    scope = ErasureScope(before=before, only_places=True)
    places = await erasure.find(scope)
    assert {field for fields in places.texts.values() for field in fields} == {"place"}
    await erasure.erase(await agreed(scope))
    assert len(await bureau.life.rows("SELECT FROM citebound.questions WHERE text <> ''")) == 2
    scope = ErasureScope(before=before)
    found = await erasure.find(scope)
    assert (await erasure.erase(await agreed(scope))).count == found.count
    left_over = await bureau.life.rows("SELECT text FROM citebound.questions WHERE text <> ''")
    assert left_over == [{"text": "What of a wombat?"}]
    assert set((await erasure.find(scope)).obstacles) == {
        record
        for record, why in found.obstacles.items()
        if why.startswith(("hold ", "it is a hold"))
    }
    await all_sealable(sealed.engine)
    await sealed.seal()
    assert (await sealed.verify()).result == "intact"


@pytest.mark.parametrize(
    ("scope", "holds"),
    [
        ({"case": 1}, True),
        ({"case": 2}, False),
        ({"since": "2026-01-01"}, True),
        ({"until": "2026-01-01"}, False),
        ({"since": "2026-01-01", "case": 2}, False),
        ({"policy": "gifts"}, False),
        ({"asker": "p-other"}, False),
    ],
)
async def test_a_hold_holds_what_it_names(
    *,
    bureau: Office,
    erasure: PostgresErasure,
    agreed: Agreed,
    scope: dict[str, Json],
    holds: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """And nothing else; once it is released, nothing."""
    case = await bureau.opened()
    await bureau.desk.close(case, ADA, key=fresh())
    await bureau.deliver()
    hold = await erasure.place_hold(scope, reason="17 O 12/26")
    scope_of = ErasureScope(asker=await pseudonym(bureau.life))
    found = await erasure.find(scope_of)
    if holds:
        request = await agreed(scope_of)
        with monkeypatch.context() as at:
            at.setattr(erasing, "refuse_held", all_free)
            with pytest.raises(UsageError, match=f"hold {hold} covers it"):
                await erasure.erase(request)
    assert bool(found.obstacles) is holds
    assert await erasure.release_hold(hold[:24], reason="settled") == hold
    with pytest.raises(UsageError, match="was released"):
        await erasure.release_hold(hold, reason="again")
    found = await erasure.find(scope_of)
    assert (await erasure.erase(await agreed(scope_of))).count == found.count
    (listed,) = await erasure.holds()
    assert (listed.hold_id, listed.scope, listed.owner) == (hold, scope, "ada")
    assert listed.released_at is not None


async def test_people_are_forgotten_after_thirty_days(bureau: Office) -> None:
    """Platforms' ids go; texts stay; a conversation with an open case is left alone."""
    await bureau.answered("What of a zebrafinch?")
    await bureau.opened(await bureau.answered("What of a wombat?", thread="2"))
    await bureau.answered("What of a dugong?", thread="3", person="U2")
    life = bureau.life
    async with life.engine.begin() as connection:
        for statement in (
            "UPDATE citebound.inbox SET received_at = now() - interval '31 days'"
            " WHERE person = 'U1'",
            "UPDATE citebound.outbox SET settled_at = now() - interval '31 days'",
            "SET LOCAL ROLE citebound_app",
            "SELECT citebound.forget_people(10)",
        ):
            await connection.execute(text(statement))
    rows = await life.rows(
        "SELECT text, person, raw <> '{}' AS raw FROM citebound.inbox ORDER BY id"
    )
    assert rows == [
        {"text": "What of a zebrafinch?", "person": "", "raw": False},
        {"text": "What of a wombat?", "person": "U1", "raw": True},
        {"text": "What of a dugong?", "person": "U2", "raw": True},
    ]
    threads = await life.rows(
        "SELECT channel FROM citebound.conversations WHERE thread IN ('2', '3')"
    )
    assert {row["channel"] for row in threads} == {"C1"}
    gone = await life.rows("SELECT FROM citebound.conversations WHERE channel = 'forgotten'")
    assert len(gone) == 1
    await bureau.answered("And now?")
    assert len(await life.rows("SELECT FROM citebound.inbox WHERE person = 'U1'")) == 2


async def test_officers_read_no_places(bureau: Office, console: AsyncEngine) -> None:
    """Not in SQL, nor in one record, which is intact without; the channel would name the asker."""
    await bureau.answered(mode="direct")
    (record,) = await bureau.life.rows(
        "SELECT id::text FROM audit.record WHERE outcome IS NOT NULL"
    )
    async with console.connect() as connection:
        fields = set(await connection.scalars(text("SELECT field FROM audit.content")))
    assert {"question", "answer"} < fields
    assert "place" not in fields
    view = await UnrecordedReader(console).show(str(record["id"]))
    assert view is not None
    assert view.problems == ()


async def test_a_bundle_of_before_stays_valid_and_one_of_after_has_no_text(
    *,
    bureau: Office,
    erasure: PostgresErasure,
    agreed: Agreed,
    sealed: SealedLedger,
    console: AsyncEngine,
    tmp_path: Path,
) -> None:
    """The proofs of both hold, by the verifier that comes with them."""
    await bureau.answered("What of a zebrafinch?", mode="direct")
    asker = await pseudonym(bureau.life)
    written: list[Path] = []
    for name in ("before", "after"):
        await all_sealable(sealed.engine)
        await sealed.seal()
        async with console.connect() as connection:
            selection = Selection(since=date(2026, 1, 1))
            bundle = await read_bundle(connection, selection, keys=[sealed.key.public])
        written.append(tmp_path / f"{name}.zip")
        write_bundle(bundle, written[-1])
        if name == "before":
            await erasure.erase(await agreed(ErasureScope(asker=asker)))
    told: list[bool] = []
    for path in written:
        folder = path.with_suffix("")
        with zipfile.ZipFile(path) as archive:
            archive.extractall(folder)
        done = subprocess.run(  # noqa: ASYNC221, S603  # a moment; our own program
            [sys.executable, "-I", str(folder / "verify.py")], check=False, capture_output=True
        )
        assert done.returncode == 0, done.stderr
        contents = (folder / "contents.jsonl").read_text()
        assert '"place"' not in contents
        told.append("zebrafinch" in contents)
    assert told == [True, False]
