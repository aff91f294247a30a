"""`citebound doctor`: what is set up, what is missing, how to fix it.

Nothing is changed: a database that was not migrated is reported, not migrated. No check raises;
what is broken is a finding.
"""

import asyncio
import importlib
import platform
import sys
from collections.abc import AsyncGenerator, Iterator, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, fields, replace

from rich.text import Text

from bot.console.model_checks import (
    check_embedders,
    check_guard,
    check_live,
    check_reader,
    check_reasoner,
    check_space,
)
from bot.console.production_checks import SurfaceCheck, check_production, check_surfaces
from bot.console.sources.checks import check_sources
from bot.console.views.terminal import Row, Terminal, one_line, open_terminal
from bot.doctor_check import Diagnosis, Status
from core.adapters.postgres.access import database_url
from core.adapters.postgres.corpus.corpus_report import PostgresCorpusReport
from core.adapters.postgres.engine.database import (
    ServerFacts,
    check_facts,
    engine_for,
    failure_of,
    server_facts,
)
from core.adapters.postgres.engine.horizon import horizon_holder
from core.adapters.postgres.engine.roles import DatabaseRole, excess_of
from core.adapters.postgres.engine.schema import newest_revision
from core.adapters.postgres.health import PostgresHealth
from core.adapters.postgres.platforms.refusals import PostgresRefusals
from core.adapters.postgres.record.calibrations import PostgresCalibrations
from core.adapters.postgres.search.spaces import PostgresSpaceStore
from core.adapters.postgres.stores import PostgresStores
from core.adapters.sources.connect import connecting
from core.adapters.system import SystemClock, UuidSource
from core.agent.wording import rests_on
from core.confidence.drift import moved
from core.config.settings import Settings, shown_value
from core.domain.codec import json_of
from core.domain.errors import CiteboundError, ConfigError, TransientError
from core.domain.officers import Officers
from core.domain.question import Scope
from core.ports import Clock, CorpusStore
from core.service_access.refusals import SERVICES, Exchange, RefusedCredential, service_of

EXIT_BROKEN = 3
SURFACES = ("bot.slack.app.health", "bot.teams.app.health")
"""Modules with a `check` of a chat platform, of which the console knows no more."""
LONG_S = 60.0
"""An open transaction that writes is worth a line from then on: it holds up sealing."""
_SUBJECT_WIDTH = 29


_SIGNS = {
    Status.FINE: ("ok", "green"),
    Status.MISSING: ("--", "yellow"),
    Status.DOUBTFUL: ("??", "yellow"),
    Status.BROKEN: ("!!", "bold red"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Shows:
    """What is printed while it is found."""

    findings: bool
    defaults: bool
    """Settings that nobody has set, too."""


def doctor(*, is_live: bool, is_production: bool, shows_all: bool, as_json: bool) -> int:
    """Check everything; 3 if something is broken."""
    terminal = open_terminal()
    findings = asyncio.run(
        _collect(
            terminal,
            shows=_Shows(findings=not as_json, defaults=shows_all),
            is_live=is_live,
            is_production=is_production,
            surfaces=surface_checks(),
        )
    )
    is_broken = any(finding.health is Status.BROKEN for finding in findings)
    if as_json:
        terminal.show_json({"is_fine": not is_broken, "findings": _as_json(findings)})
    else:
        unset = 0 if shows_all else sum(finding.is_default for finding in findings)
        listed = [Text(f"{unset} settings are at their defaults: --all lists them.", style="dim")]
        terminal.show(Text(), *(listed if unset else ()), _verdict(findings))
    return EXIT_BROKEN if is_broken else 0


def surface_checks() -> list[SurfaceCheck]:
    """Return what looks at each chat platform."""
    return [importlib.import_module(name).check for name in SURFACES]


async def _collect(
    terminal: Terminal,
    *,
    shows: _Shows,
    is_live: bool,
    is_production: bool,
    surfaces: Sequence[SurfaceCheck],
) -> list[Diagnosis]:
    findings: list[Diagnosis] = []
    found = diagnose(is_live=is_live, is_production=is_production, surfaces=surfaces)
    async for finding in found:
        findings.append(finding)
        if shows.findings and (shows.defaults or not finding.is_default):
            terminal.show(finding_row(finding))
    return findings


def finding_row(finding: Diagnosis) -> Row:
    """Return a line for what was found, and one for its cure."""
    sign, style = _SIGNS[finding.health]
    lines = [Text(one_line(finding.found))]
    if finding.cure:
        lines.append(Text(f"→ {one_line(finding.cure)}", style="cyan"))
    heads = (Text(sign, style=style), Text(f"{finding.subject:<{_SUBJECT_WIDTH}}"))
    return Row(heads=heads, lines=tuple(lines))


def _verdict(findings: Sequence[Diagnosis]) -> Text:
    broken = [finding.subject for finding in findings if finding.health is Status.BROKEN]
    if broken:
        return Text(f"Broken: {', '.join(broken)}.", style="bold red")
    doubtful = [finding.subject for finding in findings if finding.health is Status.DOUBTFUL]
    missing = [finding.subject for finding in findings if finding.health is Status.MISSING]
    told = [f"Check: {', '.join(doubtful)}."] if doubtful else []
    told += [f"Not set up: {', '.join(missing)}."] if missing else []
    if told:
        return Text(f"Works. {' '.join(told)}", style="yellow")
    return Text("Everything is set up.", style="green")


def _as_json(findings: Sequence[Diagnosis]) -> list[dict[str, str]]:
    return [json_of(finding, "subject health found cure") for finding in findings]


MINIMUM_PYTHON = (3, 11)


async def diagnose(
    *,
    is_live: bool = False,
    is_production: bool = False,
    surfaces: Sequence[SurfaceCheck] = (),
) -> AsyncGenerator[Diagnosis]:
    """Look at everything, and yield what was found as it is found.

    Args:
        is_live: Make one small call to each provider too.
        is_production: Look also at what production needs, whatever the environment says.
        surfaces: What looks at chat platforms.
    """
    yield _python()
    try:
        settings = Settings.from_environment()
    except ConfigError as error:
        yield Diagnosis(
            subject="settings",
            health=Status.BROKEN,
            found=str(error),
            cure="correct or unset this variable",
        )
        return
    for finding in _settings(settings):
        yield finding
    if is_production:
        settings = replace(settings, environment="production")
    for finding in _of_production(settings, is_asked=is_production):
        yield finding
    async for finding in _database(settings, is_live=is_live):
        yield finding
    async for finding in check_embedders(settings):
        yield finding
    yield await check_reader(settings)
    yield await check_guard(settings)
    yield await check_reasoner(settings)
    looked = check_surfaces(settings, surfaces, is_live=is_live, needs_one=is_production)
    async for finding in looked:
        yield finding
    if is_live:
        async for finding in check_live(settings):
            yield finding


def _python() -> Diagnosis:
    found = f"{platform.python_version()} at {sys.executable}"
    if sys.version_info < MINIMUM_PYTHON:
        cure = "install Python 3.11 or later"
        return Diagnosis(subject="python", health=Status.BROKEN, found=found, cure=cure)
    return Diagnosis(subject="python", health=Status.FINE, found=found)


def _settings(settings: Settings) -> list[Diagnosis]:
    findings: list[Diagnosis] = []
    for item in fields(Settings):
        variable: str = item.metadata["variable"]
        value: object = getattr(settings, item.name)
        is_default = value == item.default
        found = f"{shown_value(settings, item)} ({'default' if is_default else 'environment'})"
        findings.append(
            Diagnosis(subject=variable, health=Status.FINE, found=found, is_default=is_default)
        )
    return findings


def _of_production(settings: Settings, *, is_asked: bool) -> Iterator[Diagnosis]:
    if is_asked:
        yield from check_production(settings)
    if settings.environment == "production":
        yield _identities(settings)


def _identities(settings: Settings) -> Diagnosis:
    """Say whether pseudonyms hide people from who has the database, and from nobody else."""
    subject, lacks = "pseudonyms", list[str]()
    if not settings.pseudonym_key:
        lacks.append("anyone with a copy of the database can tell whose they are")
    if not settings.identity_key:
        lacks.append("nobody can be unmasked")
    if not lacks:
        found = "found with a key outside the database, identities sealed"
        return Diagnosis(subject=subject, health=Status.FINE, found=found)
    return Diagnosis(
        subject=subject,
        health=Status.DOUBTFUL,
        found="; ".join(lacks),
        cure="set CITEBOUND_PSEUDONYM_KEY (`openssl rand -base64 32`) before the first question,"
        " and CITEBOUND_IDENTITY_KEY (`citebound audit identity-key FILE`)",
    )


async def _database(settings: Settings, *, is_live: bool) -> AsyncGenerator[Diagnosis]:
    kind = "server" if settings.database_url else f"embedded below {settings.home.expanduser()}"
    try:
        async for finding in _opened_database(settings, kind, is_live=is_live):
            yield finding
    except Exception as error:
        known = error if isinstance(error, CiteboundError) else failure_of(error)
        if known is None:
            raise
        cure = "it must take writes; the embedded one needs a CITEBOUND_HOME that can be written to"
        found = f"{kind}: {known}"
        yield Diagnosis(subject="database", health=Status.BROKEN, found=found, cure=cure)


async def _opened_database(
    settings: Settings, kind: str, *, is_live: bool
) -> AsyncGenerator[Diagnosis]:
    async with AsyncExitStack() as stack:
        engine = engine_for(await database_url(settings), pooled=False)
        stack.push_async_callback(engine.dispose)
        facts = await server_facts(engine)
        check_facts(facts)
        way = ", by way of a pooler" if facts.is_pooled else ""
        found = f"{kind}: Postgres {facts.postgres}, pgvector {facts.pgvector}{way}"
        yield Diagnosis(subject="database", health=Status.FINE, found=found)
        yield _login(settings, facts)
        yield _migrations(facts)
        async with engine.connect() as connection:
            holder = await horizon_holder(connection, after_s=LONG_S)
        if holder is not None:
            yield Diagnosis(
                subject="transactions",
                health=Status.DOUBTFUL,
                found=f"{holder}; meanwhile no record is sealed",
                cure="end it, and keep transactions on this server short",
            )
        if facts.login.roles.isdisjoint((DatabaseRole.APP, DatabaseRole.OWNER)):
            yield _nothing_ingested("not checked: this login may not read it")
        elif facts.revision == newest_revision():
            health = PostgresHealth(engine, clock=SystemClock())
            if trouble := await health.trouble():
                raise TransientError(trouble)  # what reads a locked table would wait for it
            yield _clock(health)
            stores = PostgresStores(
                engine,
                settings,
                officers=Officers(),
                clock=SystemClock(settings.zones),
                ids=UuidSource(),
            )
            yield await _corpus(stores.corpus, PostgresCorpusReport(engine), stores.clock)
            for finding in await _credentials(PostgresRefusals(engine).exchange, stores.clock):
                yield finding
            yield await _reading(stores.corpus)
            yield await check_space(settings, PostgresSpaceStore(engine))
            yield await _confidence(stores.calibrations)
            async for finding in check_sources(
                stores.sources, connecting(settings), is_live=is_live
            ):
                yield finding
        else:
            yield _nothing_ingested("not checked until the migrations have run")


def _clock(health: PostgresHealth) -> Diagnosis:
    off = health.clock_off()
    return Diagnosis(
        subject="clock",
        health=Status.DOUBTFUL if off else Status.FINE,
        found=off or "as the database's",
        cure="set the clocks of both machines by NTP" if off else "",
    )


def _login(settings: Settings, facts: ServerFacts) -> Diagnosis:
    """Say whether the login of `serve` and `work` may do what they do, and no more."""
    subject, login = "database login", facts.login
    excess = excess_of(login)
    cure = (
        f"let DATABASE_URL name a login that is a member of {DatabaseRole.APP} alone:"
        f" CREATE ROLE name LOGIN PASSWORD '...' IN ROLE {DatabaseRole.APP}"
    )
    if excess is not None:
        is_refused = settings.environment == "production"
        health = Status.BROKEN if is_refused else Status.DOUBTFUL
        found = f"{login.login} {excess}: refused in production"
        return Diagnosis(subject=subject, health=health, found=found, cure=cure)
    ours = sorted(login.roles)
    if DatabaseRole.APP not in login.roles:
        found = f"{login.login} is a member of {', '.join(ours) or 'no role of Citebound'}"
        cure = f"GRANT {DatabaseRole.APP} TO {login.login}, where serve or work use it"
        return Diagnosis(subject=subject, health=Status.DOUBTFUL, found=found, cure=cure)
    found = f"{login.login}, a member of {', '.join(ours)}"
    return Diagnosis(subject=subject, health=Status.FINE, found=found)


def _migrations(facts: ServerFacts) -> Diagnosis:
    newest = newest_revision()
    if facts.revision == newest:
        return Diagnosis(subject="migrations", health=Status.FINE, found=f"at {newest}")
    found = f"at {facts.revision or 'none'}, newest is {newest}"
    if facts.revision and facts.revision > newest:
        cure = "upgrade Citebound: the database is newer"
        return Diagnosis(subject="migrations", health=Status.BROKEN, found=found, cure=cure)
    cure = "nothing to do: the next command applies them"
    return Diagnosis(subject="migrations", health=Status.MISSING, found=found, cure=cure)


async def _corpus(corpus: CorpusStore, report: PostgresCorpusReport, clock: Clock) -> Diagnosis:
    edition = await corpus.current_edition()
    if edition is None:
        return _nothing_ingested("empty")
    if altered := await report.altered():
        cure = (
            "it is not quoted; citebound corpus validate lists all: find out who changed it, and"
            " restore the database"
        )
        return Diagnosis(subject="corpus", health=Status.BROKEN, found=altered[0], cure=cure)
    scope = Scope(as_of=clock.today())
    policies = await corpus.versions(scope)
    chunks = "chunks indexed" if await corpus.has_chunks(scope) else "no chunks: graph only"
    found = f"edition {edition}, {len(policies)} policies in force for everyone, {chunks}"
    return Diagnosis(subject="corpus", health=Status.FINE, found=found)


async def _credentials(exchange: Exchange, clock: Clock) -> list[Diagnosis]:
    """Say which credentials were refused when a process used them last."""
    refused = await exchange({})
    if not refused:
        found = "none was refused when it was last used"
        return [Diagnosis(subject="credentials", health=Status.FINE, found=found)]
    return [_refused(refusal, clock) for refusal in refused]


def _refused(refusal: RefusedCredential, clock: Clock) -> Diagnosis:
    service = service_of(refusal.name)
    is_platform = service in {"slack", "teams"}
    since = refusal.since.astimezone(clock.zones.home)
    return Diagnosis(
        subject=f"credential, {refusal.name}",
        health=Status.BROKEN if is_platform else Status.DOUBTFUL,
        found=f"refused since {since:%Y-%m-%d %H:%M %Z} ({refusal.cause}): {SERVICES[service][0]}",
        cure=SERVICES[service][1],
    )


async def _reading(corpus: CorpusStore) -> Diagnosis:
    """Say whether this release would read stored policies otherwise."""
    subject, outdated = "reading of policies", await corpus.outdated()
    if not outdated:
        return Diagnosis(subject=subject, health=Status.FINE, found="by this release")
    policies = "1 policy was" if len(outdated) == 1 else f"{len(outdated)} policies were"
    return Diagnosis(
        subject=subject,
        health=Status.DOUBTFUL,
        found=f"{policies} read by an earlier release, which may have found other facts",
        cure="citebound corpus reread",
    )


async def _confidence(calibrations: PostgresCalibrations) -> Diagnosis:
    """Say what the badge of the rules rests on, and whether it still may."""
    active = (await calibrations.active()).rules
    found = f"{active.name}: {rests_on(active)}"
    changed = moved(await calibrations.drift(of_models=False))
    if changed:
        cure = "citebound eval calibration shows it, citebound eval calibrate fits a new one"
        found += f"; since then {', '.join(changed)} drifted"
        return Diagnosis(subject="confidence", health=Status.DOUBTFUL, found=found, cure=cure)
    return Diagnosis(subject="confidence", health=Status.FINE, found=found)


def _nothing_ingested(found: str) -> Diagnosis:
    cure = "citebound ingest PATH, or citebound demo for samples"
    return Diagnosis(subject="corpus", health=Status.MISSING, found=found, cure=cure)
