"""The grid of officers: what each kind reads on each page, in each view, by each command."""

from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from core.adapters.local.embedder import LocalEmbedder
from core.adapters.postgres.console.reader import open_reader
from core.adapters.postgres.officers.session import OfficerSession, Reading
from core.adapters.postgres.record.audit_reader import PostgresAuditReader
from core.adapters.postgres.record.export import Selection, read_bundle
from core.audit.bundle.read import check_bundle
from core.audit.bundle.write import write_bundle
from tests.integration.record.sealing import SealedLedger
from tests.integration.roles.reach import ALL, BY_LOGIN, KINDS, World, withheld, world

MARK = "[restricted: audience finance]"


@pytest.fixture
async def two_units(
    database_url: str, engine: AsyncEngine, local_embedder: LocalEmbedder, tmp_path: Path
) -> AsyncIterator[World]:
    """See `world`."""
    async with world(database_url, engine, local_embedder, tmp_path) as made:
        yield made


@asynccontextmanager
async def sessions(two_units: World) -> AsyncGenerator[Callable[[str], OfficerSession]]:
    """Lend what opens the record for an officer, as the console does."""
    service = two_units.console.service
    async with open_reader(service.settings, clock=service.clock, ids=service.ids) as reader:
        yield reader.session


def marked(page: str) -> set[str]:
    """Return the words of answers that a page shows."""
    return {word for word in ALL if word in page}


async def ids(engine: AsyncEngine, query: str) -> list[str]:
    """Return a column of a table, as text."""
    async with engine.connect() as connection:
        return [str(value) for value in await connection.scalars(text(query))]


async def test_each_page_shows_each_officer_their_units_and_audiences(
    two_units: World, engine: AsyncEngine
) -> None:
    """A page has for an officer what it has for one who reads all, but for what is withheld."""
    records = await ids(
        engine,
        "SELECT id FROM audit.record WHERE tag LIKE 'question:%' OR tag LIKE 'case:%'"
        " OR tag IN ('answer:affected', 'precedent:proposed')",
    )
    numbers = await ids(engine, "SELECT number FROM citebound.precedents")
    pages = [
        *("/officer", "/officer/cases", "/officer/closed-cases", "/officer/reviews"),
        *("/officer/records", "/officer/records?words=question+treasury"),
        *("/officer/consistency", "/officer/precedents", "/officer/affected"),
        f"/officer/affected/{two_units.edition}",
        f"/officer/affected/{two_units.edition - 1}",
        *(f"/officer/cases/{case}" for case in two_units.cases.values()),
        *(f"/officer/records/{record}" for record in records),
        *(f"/officer/precedents/{number}" for number in numbers),
    ]
    shown: dict[str, dict[str, set[str]]] = {}
    for login, officer in BY_LOGIN.items():
        visitor = await two_units.console.signed_in(officer.accounts[0])
        shown[login] = {page: marked((await visitor.get(page))[1]) for page in pages}
    everything = set[str]().union(*shown["whole"].values())
    assert everything == ALL
    assert differences(shown, whole=("/officer/affected/", "/officer/precedents")) == {}


def differences(
    shown: dict[str, dict[str, set[str]]], *, whole: tuple[str, ...]
) -> dict[tuple[str, str], set[str]]:
    """Return by officer and page what is there too much, or too little; see `withheld`."""
    return {
        (login, page): words ^ expected
        for login, pages in shown.items()
        for page, words in pages.items()
        if words
        != (expected := shown["whole"][page] - withheld(login, is_whole=page.startswith(whole)))
    }


VIEWS = """
SELECT c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
 WHERE n.nspname = 'audit' AND has_any_column_privilege('citebound_officer', c.oid, 'SELECT')
   AND c.relkind IN ('r', 'v') AND c.relname NOT IN ('v_changes', 'v_access_log')
"""
"""All that officers may select from; of the two others the rows are about no question."""


MARKED = ("v_answers", "v_reviews", "v_precedents")
"""Views that say what was withheld; others have nothing of an answer."""


async def test_each_view_shows_each_officer_their_units_and_audiences(
    two_units: World, engine: AsyncEngine
) -> None:
    """Views and tables, in SQL, hold for an officer what a page may show."""
    views = await ids(engine, VIEWS)
    assert {"record", "content", "v_answers", "v_precedents", "v_reviews"} <= set(views)
    shown: dict[str, dict[str, set[str]]] = {}
    async with sessions(two_units) as session:
        for login in KINDS:
            async with session(login).reading(Reading(statement="all", views=views)) as connection:
                shown[login] = {}
                for view in views:
                    rows = await connection.execute(text(f"SELECT * FROM audit.{view}"))  # noqa: S608
                    said = str(rows.all())
                    shown[login][view] = marked(said)
                    is_marked = login in {"plain", "broad"} and view in MARKED
                    assert (MARK in said) is is_marked, (login, view)
    assert set[str]().union(*shown["whole"].values()) == ALL
    assert differences(shown, whole=("record", "v_answers_affected_by_change")) == {}


async def test_each_command_shows_each_officer_their_units_and_audiences(
    two_units: World, engine: AsyncEngine, tmp_path: Path
) -> None:
    """`audit list`, `show` and `export`; a bundle that lacks texts still proves what it has."""
    records = await ids(engine, "SELECT id FROM audit.record WHERE tag LIKE 'question:%'")
    sealed = SealedLedger(engine)
    await sealed.seal(until=len(await ids(engine, "SELECT id FROM audit.record")))
    selection, keys = Selection(since=date(2000, 1, 1)), [sealed.key.public]
    shown: dict[str, dict[str, set[str]]] = {}
    async with sessions(two_units) as session:
        for login in KINDS:
            reader = PostgresAuditReader(session(login))
            views = [view for record in records if (view := await reader.show(record)) is not None]
            assert all(view.is_intact for view in views)
            async with session(login).reading(Reading(statement="export")) as connection:
                bundle = await read_bundle(connection, selection, keys=keys)
            write_bundle(bundle, tmp_path / f"{login}.zip")
            assert check_bundle(tmp_path / f"{login}.zip", keys, []).problem is None
            shown[login] = {
                "show": marked(str(views)),
                "list": marked(str(await reader.list(limit=100))),
                "export": marked(str(replace(bundle, policies={}))),
            }
            # A policy is exported whole, units or not: to whom it is for.
            texts = "".join(bundle.policies.values())
            assert "# treasury policy" not in texts or login in {"whole", "berlin", "munich"}
            marks = {view.restriction for view in views}
            assert marks == ({None, MARK} if login in {"plain", "broad"} else {None}), login
    assert set[str]().union(*shown["whole"].values()) == ALL
    assert differences(shown, whole=()) == {}


async def test_a_withheld_answer_is_not_found_by_its_words(two_units: World) -> None:
    """Neither by a rare word nor by a phrase; by the question it is."""
    plain = await two_units.console.signed_in(BY_LOGIN["plain"].accounts[0])
    for words in ("claim", '"claim of treasury"', "claim+treasury"):
        _, page = await plain.get(f"/officer/records?words={words}")
        assert "question of treasury" not in page, words
    _, page = await plain.get("/officer/records?words=claim")
    assert "question of gifts" in page
    _, page = await plain.get('/officer/records?words="question of treasury"')
    assert "question of treasury" in page
