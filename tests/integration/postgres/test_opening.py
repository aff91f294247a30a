"""A database that can't be used is refused with one line that says why, never with its secret."""

import asyncio
import os
import subprocess
import sys
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import psycopg
import pytest
from sqlalchemy import make_url, text
from sqlalchemy.ext.asyncio import AsyncEngine

from bot import cli
from core.adapters.postgres.engine import schema
from core.adapters.postgres.engine.database import (
    ServerFacts,
    check_facts,
    engine_for,
    server_facts,
)
from core.adapters.postgres.engine.roles import LoginFacts
from core.adapters.postgres.engine.schema import migrate, newest_revision, open_database
from core.adapters.postgres.health import PostgresHealth
from core.domain.errors import ConfigError, TransientError
from tests.databases import MIGRATED, admin, corpus_store

ROOT = Path(__file__).parents[3]
_numbers = count()


@pytest.fixture
def empty_url(server_url: str) -> Iterator[str]:
    """A database without any schema of ours."""
    name = f"empty_{os.getpid()}_{next(_numbers)}"
    with admin(server_url) as connection:
        connection.execute(text(f"CREATE DATABASE {name}"))
    yield make_url(server_url).set(database=name).render_as_string(hide_password=False)
    with admin(server_url) as connection:
        connection.execute(text(f"DROP DATABASE {name} WITH (FORCE)"))


NOBODY = LoginFacts(
    login="nobody",
    known=frozenset(),
    roles=frozenset(),
    is_superuser=False,
    is_privileged=False,
    is_owner=False,
)


def facts(
    *, postgres: int = 17, pgvector: str | None = "0.8.0", encoding: str = "UTF8"
) -> ServerFacts:
    """Return what a server says of itself."""
    return ServerFacts(
        postgres=postgres,
        encoding=encoding,
        pgvector=pgvector,
        revision=None,
        oldest_release=None,
        login=NOBODY,
        is_pooled=False,
    )


@pytest.mark.parametrize(
    ("postgres", "pgvector", "words"),
    [
        (14, "0.8.0", "Postgres 14 is too old: 15 or later"),
        (9, None, "Postgres 9 is too old"),
        (15, None, "no pgvector"),
        (16, "0.7.4", "pgvector 0.7.4 is too old: 0.8 or later"),
    ],
)
def test_a_server_that_lacks_something_is_refused(
    postgres: int, pgvector: str | None, words: str
) -> None:
    """What is missing is named, with what would do."""
    with pytest.raises(ConfigError, match=words):
        check_facts(facts(postgres=postgres, pgvector=pgvector))


@pytest.mark.parametrize("pgvector", ["0.8.0", "0.8", "0.10.1", "1.0"])
def test_a_server_that_is_new_enough_is_taken(pgvector: str) -> None:
    """Versions are compared as numbers."""
    check_facts(facts(postgres=15, pgvector=pgvector))


async def test_the_installed_pgvector_counts(engine: AsyncEngine) -> None:
    """A database keeps its old extension until somebody updates it, whatever could be installed."""
    async with engine.begin() as connection:
        await connection.execute(
            text("UPDATE pg_extension SET extversion = '0.7.4' WHERE extname = 'vector'")
        )
    found = await server_facts(engine)
    assert found.pgvector == "0.7.4"
    with pytest.raises(ConfigError, match="too old"):
        check_facts(found)


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://anna:s3cret@127.0.0.1:1/x",
        "postgresql://anna:s3cret@[::1]:1/x",
        "postgresql://127.0.0.1:1/x?user=anna&password=s3cret",
        "postgresql:///x?host=/nowhere/s&user=anna&password=s3cret",
        "postgresql://anna:s3%40cret@127.0.0.1:1/x",
    ],
)
async def test_a_server_that_is_away_is_named_without_its_password(url: str) -> None:
    """The message says where and why, and what to do."""
    engine = engine_for(url, pooled=False)
    with pytest.raises(ConfigError) as caught:
        await server_facts(engine)
    message = str(caught.value)
    assert "can't be reached" in message
    assert "DATABASE_URL" in message
    assert "cret" not in message
    assert "\n" not in message
    await engine.dispose()


@pytest.mark.parametrize(
    "url",
    [
        "s3cret",
        "mysql://anna:s3cret@127.0.0.1/x",
        "postgresql://anna:s3cret@127.0.0.1:port/x",
        "postgresql://anna:s3cret@127.0.0.1:99999999/x?bad",
    ],
)
async def test_what_is_no_postgres_url_is_refused_without_being_printed(url: str) -> None:
    """One line with what was expected."""
    with pytest.raises(ConfigError) as caught:
        async with open_database(url):
            pass
    assert "s3cret" not in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("encoding", ["SQL_ASCII", "LATIN1"])
@pytest.mark.parametrize("query", ["", "client_encoding=SQL_ASCII"])
async def test_a_database_of_another_encoding_is_refused(
    server_url: str, encoding: str, query: str
) -> None:
    """In one line, by the command: in SQL_ASCII text came as bytes, and nothing said why."""
    name = f"other_{os.getpid()}_{next(_numbers)}"
    url = make_url(server_url).set(database=name).render_as_string(hide_password=False)
    terms = f"ENCODING '{encoding}' LOCALE 'C' TEMPLATE template0"
    with admin(server_url) as connection:
        connection.execute(text(f"CREATE DATABASE {name} {terms}"))
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "bot", "serve"),
        cwd=ROOT,
        env={
            "PYTHONPATH": str(ROOT),
            "DATABASE_URL": f"{url}{'&' if '?' in url else '?'}{query}",
            "SLACK_BOT_TOKEN": "xoxb-none",
            "SLACK_SIGNING_SECRET": "0" * 32,
            "CITEBOUND_OPERATIONS_PORT": "0",
        },
        stderr=asyncio.subprocess.PIPE,
    )
    _, told = await process.communicate()
    assert process.returncode == cli.EXIT_BROKEN
    assert told.decode().splitlines(keepends=True)[-1] == (
        f"citebound: error: the database's encoding is {encoding}: make it anew in UTF8"
        " (CREATE DATABASE name ENCODING 'UTF8' TEMPLATE template0)\n"
    )
    with admin(server_url) as connection:
        connection.execute(text(f"DROP DATABASE {name} WITH (FORCE)"))


async def test_a_database_newer_than_this_release_is_refused(database_url: str) -> None:
    """It is left as it is."""
    engine = engine_for(database_url, pooled=False)
    async with engine.begin() as connection:
        await connection.execute(
            text("UPDATE citebound.alembic_version SET version_num = '9999_future'")
        )
    with pytest.raises(ConfigError, match=r"9999_future.*upgrade"):
        async with open_database(database_url):
            pass
    assert (await server_facts(engine)).revision == "9999_future"
    await engine.dispose()


async def test_an_empty_database_is_migrated_once_by_two_starts(empty_url: str) -> None:
    """Whoever comes second waits and finds the schema there."""
    engines = [engine_for(empty_url, pooled=False) for _ in range(3)]
    async with asyncio.TaskGroup() as group:
        for engine in engines:
            group.create_task(migrate(engine))
    for engine in engines:
        assert (await server_facts(engine)).revision == newest_revision()
        await engine.dispose()


async def test_two_processes_migrate_one_after_the_other(empty_url: str) -> None:
    """The lock is the database's: it holds between processes too."""
    words = (
        "import asyncio, sys;"
        " from core.adapters.postgres.engine.database import engine_for;"
        " from core.adapters.postgres.engine.schema import migrate;"
        " asyncio.run(migrate(engine_for(sys.argv[1], pooled=False)))"
    )
    processes = [
        await asyncio.create_subprocess_exec(sys.executable, "-c", words, empty_url, cwd=ROOT)
        for _ in range(2)
    ]
    assert [await process.wait() for process in processes] == [0, 0]
    engine = engine_for(empty_url, pooled=False)
    assert (await server_facts(engine)).revision == newest_revision()
    await engine.dispose()


async def test_opening_migrates_and_opening_again_does_not(empty_url: str) -> None:
    """The first start builds the schema; later ones find it."""
    for _ in range(2):
        async with open_database(empty_url, pooled=False) as engine:
            assert await corpus_store(engine).current_edition() is None


@pytest.mark.parametrize(
    ("url", "host", "port", "attributes"),
    [
        ("postgresql://me:p@h1:1,h2:2/db", "h1,h2", "1,2", "read-write"),
        ("postgresql://me@h1:1,h2:2/db?sslmode=require", "h1,h2", "1,2", "read-write"),
        ("postgresql://h1:1,h2:2/db?target_session_attrs=any", "h1,h2", "1,2", "any"),
    ],
)
def test_several_hosts_are_named_as_libpq_does(
    url: str, host: str, port: str, attributes: str
) -> None:
    """The one that takes writes is used, unless the URL says otherwise."""
    engine = engine_for(url, pooled=False)
    _, told = engine.dialect.create_connect_args(engine.url)
    assert (told["host"], told["port"], told["dbname"]) == (host, port, "db")
    assert told["target_session_attrs"] == attributes


async def test_where_nobody_may_migrate_an_older_schema_is_refused(empty_url: str) -> None:
    """The message says what to run; nothing was made."""
    with pytest.raises(ConfigError, match=r"needs .*: run `citebound migrate`"):
        async with open_database(empty_url, migrates=False):
            pass
    engine = engine_for(empty_url, pooled=False)
    assert (await server_facts(engine)).revision is None
    await engine.dispose()


async def opened(url: str, told: list[str]) -> str | None:
    """Wait for a database as a process does; return the schema that it then has."""
    async with open_database(url, migrates=False, waits=told.append) as engine:
        return (await server_facts(engine)).revision


async def test_a_process_waits_for_the_schema(
    empty_url: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """It opens once another has migrated, and says meanwhile what it waits for, once."""
    monkeypatch.setattr(schema, "ASKED_EVERY_S", 0.05)
    other, told = engine_for(empty_url, pooled=False), list[str]()
    async with asyncio.TaskGroup() as group:
        waiting = group.create_task(opened(empty_url, told))
        while len(told) < 3:  # noqa: ASYNC110  # another task
            await asyncio.sleep(0.01)
        await migrate(other)
    assert waiting.result() == newest_revision()
    assert set(told) == {"waiting for `citebound migrate`"}
    assert caplog.text.count("the schema is at nothing, and this release needs") == 1
    await other.dispose()


async def test_a_process_waits_for_the_database(
    server_url: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """It may be started before it; a command says at once that there is none."""
    monkeypatch.setattr(schema, "ASKED_EVERY_S", 0.05)
    name, told = f"later_{os.getpid()}_{next(_numbers)}", list[str]()
    url = make_url(server_url).set(database=name).render_as_string(hide_password=False)
    with pytest.raises(ConfigError, match="can't be reached"):
        async with open_database(url):
            pass
    async with asyncio.TaskGroup() as group:
        waiting = group.create_task(opened(url, told))
        while len(told) < 3:  # noqa: ASYNC110  # another task
            await asyncio.sleep(0.01)
        with admin(server_url) as connection:
            await asyncio.to_thread(
                connection.execute, text(f"CREATE DATABASE {name} TEMPLATE {MIGRATED}")
            )
    assert waiting.result() == newest_revision()
    assert set(told) == {"waiting for the database"}
    assert caplog.text.count("can't be reached") == 1
    with admin(server_url) as connection:
        connection.execute(text(f"DROP DATABASE {name} WITH (FORCE)"))


@pytest.mark.parametrize("oldest", ["this", "next"])
async def test_a_later_schema_is_taken_if_it_says_so(engine: AsyncEngine, oldest: str) -> None:
    """While processes are exchanged, one of the release before may start again."""
    url = engine.url.render_as_string(hide_password=False)
    names = {"this": newest_revision(), "next": "9999_next"}
    moved = "UPDATE citebound.alembic_version SET version_num = '9999_next'"
    added = "INSERT INTO citebound.schema_compatibility VALUES ('9999_next', :oldest)"
    async with engine.begin() as connection:
        await connection.execute(text(moved))
        await connection.execute(text(added), {"oldest": names[oldest]})
    trouble = await PostgresHealth(engine).trouble()
    if oldest == "this":
        async with open_database(url) as opened:
            assert (await server_facts(opened)).revision == "9999_next"
        assert trouble is None
        return
    with pytest.raises(ConfigError, match="does not know: upgrade Citebound"):
        async with open_database(url):
            pass
    assert trouble is not None
    assert "9999_next" in trouble


async def test_a_record_is_not_dropped(engine: AsyncEngine) -> None:
    """No step down takes a ledger that holds something; without records it does."""
    insert = text(
        "INSERT INTO audit.record (canonical, leaf_hash) SELECT c, sha256('\\x00'::bytea || c)"
        " FROM convert_to(jsonb_build_object('id', gen_random_uuid(), 'tag', 'service:started',"
        " 'unit', 'u', 'actor', jsonb_build_object('ref', 'a'), 'at', to_char(now() AT TIME ZONE"
        " 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"'))::text, 'UTF8') AS c"
    )
    async with engine.begin() as connection:
        await connection.execute(insert)
    with pytest.raises(ConfigError, match="the record is not empty"):
        await migrate(engine, to="0005_delivery")
    kept = text("SELECT count(*) FROM audit.record WHERE tag = 'service:started'")
    async with engine.connect() as connection:
        assert await connection.scalar(kept) == 1
    await migrate(engine)
    assert (await server_facts(engine)).revision == newest_revision()


async def test_a_database_that_went_away_is_a_passing_fault(database_url: str) -> None:
    """Stores say that the database failed, so that callers may try again."""
    engine = engine_for(database_url, pooled=False)
    store = corpus_store(engine)
    assert await store.current_edition() is None
    async with engine.begin() as connection:
        await connection.execute(text("ALTER TABLE citebound.editions RENAME TO gone"))
    with pytest.raises(TransientError, match="the database failed"):
        await store.current_edition()
    await engine.dispose()


def test_alembic_itself_finds_the_database(empty_url: str) -> None:
    """It is that of the settings, and so is the unit in which a later step is recorded."""

    def run(*words: str) -> tuple[int, str]:
        done = subprocess.run(  # noqa: S603  # our own words
            (sys.executable, "-m", "alembic", *words),
            env={"DATABASE_URL": empty_url, "CITEBOUND_UNIT": "paris"},
            cwd=ROOT, capture_output=True, text=True, check=False,
        )  # fmt: skip
        return done.returncode, done.stdout + done.stderr

    assert run("upgrade", "head") == (0, "")
    assert run("current") == (0, f"{newest_revision()} (head)\n")
    assert "citebound migrate" in run("upgrade", "head", "--sql")[1]
    steps = "SELECT unit FROM audit.record WHERE tag = 'schema:migrated'"
    with psycopg.connect(empty_url, autocommit=True) as connection:
        assert connection.execute(steps).fetchall() == [], "nothing in a new database changes"
        may = connection.execute(
            "SELECT has_database_privilege('citebound_app', current_database(), 'TEMP')"
        )
        assert may.fetchone() == (False,), "a superuser's migration closes temporary tables"
        assert [run(move, to)[0] for move, to in (("downgrade", "-1"), ("upgrade", "head"))] == [
            0,
            0,
        ]
        assert connection.execute(steps).fetchall() == [("paris",)]
