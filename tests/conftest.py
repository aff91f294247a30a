"""Fixtures that talk to real things: one embedded Postgres a session, one migrated database a
test."""

import os
import shutil
import tempfile
from collections.abc import AsyncIterator, Iterator
from itertools import count
from pathlib import Path

import pytest
from sqlalchemy import NullPool, create_engine, make_url, text
from sqlalchemy.ext.asyncio import AsyncEngine

from core.adapters.postgres.engine.database import engine_for, migrate
from core.adapters.postgres.engine.embedded import start_embedded, stop_embedded

KNOWN_SKIPS = (
    "shared data absent",
    "playground absent",
    "adaptivecards absent",
    "chromium absent",
    "not root",
    "pgbouncer absent",
)
"""How the reason of a skip may begin; any other skip fails the session."""

TEMPLATE = "citebound_template"

PAID = ("ANTHROPIC_", "AWS_", "CLAUDE_", "GOOGLE_", "VOYAGE_", "CITEBOUND_REASONER")
"""How variables begin that could lead a test to a service that costs money."""


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Forget all access to paid services: models are scripted, by servers of our own.

    As root, the embedded Postgres runs as another user, who can't pass through the folder that
    pytest gives to root: tests get one that is closed to reading alone.
    """
    for name in [name for name in os.environ if name.startswith(PAID)]:  # noqa: TID251
        del os.environ[name]  # noqa: TID251
    if os.geteuid() == 0 and config.option.basetemp is None:
        config.option.basetemp = tempfile.mkdtemp(prefix="citebound-tests-")


def pytest_unconfigure(config: pytest.Config) -> None:
    """Leave no folders of tests behind where pytest would not find them."""
    given = Path(config.option.basetemp or "")
    if given.name.startswith("citebound-tests-") and not hasattr(config, "workerinput"):
        shutil.rmtree(given, ignore_errors=True)


KEYS = ("ANTHROPIC_API_KEY", "VOYAGE_API_KEY")


@pytest.fixture(autouse=True)
def no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    """A test that wants a key of a paid service brings its own, and a server that takes it."""
    for name in KEYS:
        monkeypatch.delenv(name, raising=False)


def shared_data() -> Path | None:
    """Return the folder of real documents, or None where there is none."""
    given = os.environ.get("CITEBOUND_SHARED_DATA")  # noqa: TID251  # tests have no settings
    folder = Path(given) if given else Path(__file__).parents[2] / "shared" / "data"
    return folder if folder.is_dir() else None


@pytest.fixture(scope="session", autouse=True)
def open_basetemp(tmp_path_factory: pytest.TempPathFactory) -> None:
    """See `pytest_configure`; workers have folders below it."""
    base = tmp_path_factory.getbasetemp().resolve()
    for folder in (base, base.parent):
        if folder.name.startswith(("citebound-tests-", "popen-")):
            folder.chmod(0o711)


@pytest.fixture
def tmp_path(tmp_path: Path) -> Path:
    """pytest's own, which root's Postgres may pass through."""
    if os.geteuid() == 0:
        tmp_path.chmod(0o711)
    return tmp_path


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of real documents; skips loudly without it."""
    folder = shared_data()
    if folder is None:
        pytest.skip("shared data absent: set CITEBOUND_SHARED_DATA to the folder of real documents")
    return folder


@pytest.fixture(scope="session")
def server_url() -> Iterator[str]:
    """A Postgres for this session, tuned for tests, with a migrated template database."""
    home = Path(tempfile.mkdtemp(prefix="citebound-test-"))
    home.chmod(0o755)
    url = start_embedded(home, temporary=True)
    admin = create_engine(
        make_url(url).set(drivername="postgresql+psycopg"),
        poolclass=NullPool,
        isolation_level="AUTOCOMMIT",
    )
    with admin.connect() as connection:
        for setting in ("fsync", "synchronous_commit", "full_page_writes"):
            connection.execute(text(f"ALTER SYSTEM SET {setting} = off"))
        connection.execute(text("SELECT pg_reload_conf()"))
        connection.execute(text(f"CREATE DATABASE {TEMPLATE}"))
    _migrate_template(url)
    admin.dispose()
    yield url
    stop_embedded(home)
    shutil.rmtree(home, ignore_errors=True)


def _migrate_template(url: str) -> None:
    import asyncio  # noqa: PLC0415

    async def run() -> None:
        engine = engine_for(_named(url, TEMPLATE), pooled=False)
        await migrate(engine)
        await engine.dispose()

    asyncio.run(run())


def _named(url: str, database: str) -> str:
    return make_url(url).set(database=database).render_as_string(hide_password=False)


_numbers = count()


@pytest.fixture
def database_url(server_url: str) -> Iterator[str]:
    """A fresh, migrated database for one test."""
    name = f"test_{os.getpid()}_{next(_numbers)}"
    admin = create_engine(
        make_url(server_url).set(drivername="postgresql+psycopg"),
        poolclass=NullPool,
        isolation_level="AUTOCOMMIT",
    )
    with admin.connect() as connection:
        connection.execute(text(f"CREATE DATABASE {name} TEMPLATE {TEMPLATE}"))
    yield _named(server_url, name)
    with admin.connect() as connection:
        connection.execute(text(f"DROP DATABASE {name} WITH (FORCE)"))
    admin.dispose()


@pytest.fixture
async def engine(database_url: str) -> AsyncIterator[AsyncEngine]:
    """An engine on the test's own database."""
    engine = engine_for(database_url, pooled=False)
    yield engine
    await engine.dispose()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Name each skip whose reason is not on the list."""
    for report in _unknown_skips(terminalreporter):
        terminalreporter.write_line(
            f"SKIPPED WITHOUT LEAVE: {report.nodeid}: {_reason(report)}", red=True
        )


@pytest.hookimpl(tryfirst=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Fail the session if anything was skipped for a reason that is not on the list."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if isinstance(reporter, pytest.TerminalReporter) and _unknown_skips(reporter):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def _unknown_skips(reporter: pytest.TerminalReporter) -> list[pytest.TestReport]:
    skipped: list[pytest.TestReport] = reporter.stats.get("skipped", [])
    return [report for report in skipped if not _reason(report).startswith(KNOWN_SKIPS)]


def _reason(report: pytest.TestReport) -> str:
    where = report.longrepr
    return where[2].removeprefix("Skipped: ") if isinstance(where, tuple) else str(where)
