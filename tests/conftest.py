"""Fixtures that talk to real things: one embedded Postgres a run, one migrated database a
test."""

import gc
import logging
import os
import random
import shutil
import signal
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from core.adapters.postgres.engine.database import engine_for
from tests.databases import MIGRATED, admin, copied, new_home, remove, server
from tests.properties import always_alike, load_profile

KNOWN_SKIPS = (
    "shared data absent",
    "playground absent",
    "adaptivecards absent",
    "axe absent",
    "postgres 15 absent",
    "postgres 17 absent",
    "chromium absent",
    "emulator of Slack absent",
    "helm absent",
    "promtool absent",
    "not root",
    "pgbouncer absent",
    "uv absent",
    "another Python absent",
    "history absent",
    "podman can't run",
)
"""How the reason of a skip may begin; any other skip fails the session."""


@pytest.fixture(autouse=True)
def roles_of_this_test_alone(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All tests share the roles of one server: who is a member of them is looked at on a server of
    its own, in processes of the product, and not here.
    """
    if "own_server" not in request.fixturenames:
        nobody = text("SELECT NULL AS role, NULL AS member WHERE false")
        monkeypatch.setattr("core.adapters.postgres.engine.server_state.MEMBERS", nobody)


HOME = pytest.StashKey[Path]()
"""The folder of the run's Postgres."""

SEED = os.environ.get("CITEBOUND_TEST_SEED", "0")  # noqa: TID251  # tests have no settings
"""What chooses the samples of `sampled`: the same ones, unless another is given."""

NIGHTLY_WITHIN_S = 3_600
"""Of one property: it has many times as many examples."""

WORKERS_A_CORE = 2
"""Half of the time of a test that talks to a server is spent waiting for it."""

PAID = ("ANTHROPIC_", "AWS_", "CLAUDE_", "GOOGLE_", "VOYAGE_", "CITEBOUND_REASONER")
"""How variables begin that could lead a test to a service that costs money."""


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Forget all access to paid services: models are scripted, by servers of our own.

    As root, the embedded Postgres runs as another user, who can't pass through the folder that
    pytest gives to root: tests get one that is closed to reading alone.

    What a shell starts in the background ignores Ctrl-C, as does all that it starts in turn; tests
    send it.
    """
    for name in [name for name in os.environ if name.startswith(PAID)]:  # noqa: TID251
        del os.environ[name]  # noqa: TID251
    if os.geteuid() == 0 and config.option.basetemp is None:
        config.option.basetemp = tempfile.mkdtemp(prefix="citebound-tests-")
    given = getattr(config, "workerinput", {})
    config.stash[HOME] = Path(given["home"]) if given else new_home()
    load_profile(at_random=not is_ordinary(config))
    signal.signal(signal.SIGINT, signal.default_int_handler)
    gc.disable()  # until all is collected: a third of that time was spent looking for garbage


def is_ordinary(config: pytest.Config) -> bool:
    """Say whether this run leaves out what is nightly."""
    return "not nightly" in config.option.markexpr


def pytest_collection_finish() -> None:
    """Look for garbage again, but not among what was imported and collected: that stays."""
    gc.freeze()
    gc.enable()


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Tell a worker of pytest-xdist what it has in common with the others."""
    node.workerinput["home"] = str(node.config.stash[HOME])


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """Say how many workers `-n auto` is; `-n logical` is one a core, as unit tests never wait."""
    cores = os.cpu_count() or 1
    return cores if config.option.numprocesses == "logical" else WORKERS_A_CORE * cores


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave what a sample does not take to the nightly run, which takes all of it.

    Properties belong to both runs: to the nightly one with many more examples.

    Files of slow tests come first: no worker begins one while the others have nothing left to do.
    """
    slow = {item.path for item in items if item.get_closest_marker("slow")}
    items.sort(key=lambda item: item.path not in slow)
    cases: dict[str, tuple[int, list[pytest.Item]]] = {}
    for item in items:
        name = item.nodeid.partition("[")[0]
        if marker := item.get_closest_marker("sampled"):
            cases.setdefault(name, (marker.args[0], []))[1].append(item)
        _search(item, name, is_ordinary=is_ordinary(config))
    for name, (most, several) in cases.items():
        chooser = random.Random(f"{SEED} {name}")  # noqa: S311  # no secret
        taken = chooser.sample(several, min(most, len(several))) if is_ordinary(config) else []
        for item in several:
            if item not in taken:
                item.add_marker(pytest.mark.nightly)


def _search(item: pytest.Item, name: str, *, is_ordinary: bool) -> None:
    """Have a property searched alike in ordinary runs, and also nightly."""
    test: Any = getattr(item, "function", None)
    is_property = getattr(test, "is_hypothesis_test", False)
    if is_ordinary:
        if is_property:
            always_alike(test, name=name)
    elif is_property or item.get_closest_marker("searches"):
        item.add_marker(pytest.mark.nightly)
        item.add_marker(pytest.mark.timeout(NIGHTLY_WITHIN_S))


def pytest_unconfigure(config: pytest.Config) -> None:
    """Leave no folders of tests behind where pytest would not find them."""
    if not hasattr(config, "workerinput"):
        remove(config.stash[HOME])
    given = Path(config.option.basetemp or "")
    if given.name.startswith("citebound-tests-") and not hasattr(config, "workerinput"):
        shutil.rmtree(given, ignore_errors=True)


_logins = count()

KEYS = ("ANTHROPIC_API_KEY", "VOYAGE_API_KEY")


@pytest.fixture(autouse=True)
def no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    """A test that wants a key of a paid service brings its own, and a server that takes it."""
    for name in KEYS:
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(autouse=True)
def own_logs() -> Iterator[None]:
    """A test that sends logs to its standard error takes that back: the stream is closed soon."""
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    yield
    root.setLevel(level)
    for added in (one for one in root.handlers[:] if one not in handlers):
        root.removeHandler(added)


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
def server_url(request: pytest.FixtureRequest) -> Iterator[str]:
    """A Postgres for this run, tuned for tests, with a migrated template database."""
    with server(request.config.stash[HOME]) as url:
        yield url


@pytest.fixture
def database_url(server_url: str) -> Iterator[str]:
    """A fresh, migrated database for one test."""
    with copied(server_url, MIGRATED) as url:
        yield url


@pytest.fixture
async def engine(database_url: str) -> AsyncIterator[AsyncEngine]:
    """An engine on the test's own database."""
    engine = engine_for(database_url)
    yield engine
    await engine.dispose()


@pytest.fixture
def new_login(server_url: str) -> Iterator[Callable[[], str]]:
    """Names of logins that are dropped at the end: they belong to the server, which tests share."""
    made: list[str] = []

    def new() -> str:
        made.append(f"anna.{os.getpid()}.{next(_logins)}")
        return made[-1]

    yield new
    with admin(server_url) as connection:
        for login in made:
            connection.execute(text(f'DROP ROLE IF EXISTS "{login}"'))


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
