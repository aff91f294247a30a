"""What a deployment lacks for production, by its settings alone: for `doctor` and `migrate`.

Nothing is called and no database is needed, so that it can be asked before anything starts. Where a
process is not told what only another one has to know, such as the key that signs the record, that
is no fault.
"""

from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from dataclasses import replace
from typing import Protocol

from bot.doctor_check import Diagnosis, Status
from bot.ledger import ANCHORS, PUBLIC_KEYS, check_anchors, keys_of_file, signing_key
from core.adapters.officers import read_officers
from core.config.anchors import anchor_addresses
from core.config.settings import Settings
from core.domain.errors import CiteboundError, ConfigError

NO_PLATFORM = Diagnosis(
    subject="platforms",
    health=Status.BROKEN,
    found="neither Slack nor Teams is set up, so nobody can ask",
    cure="docs/slack.md, docs/teams.md",
)


class SurfaceCheck(Protocol):
    """Looks at a surface that the terminal does not know."""

    def __call__(self, settings: Settings, /, *, is_live: bool) -> AsyncGenerator[Diagnosis]:
        """Yield what was found; called only if `is_live`."""
        ...


async def check_surfaces(
    settings: Settings, surfaces: Sequence[SurfaceCheck], *, is_live: bool, needs_one: bool
) -> AsyncGenerator[Diagnosis]:
    """Look at the chat platforms; where `needs_one`, one of them at least is to be set up."""
    is_any = False
    for check in surfaces:
        async for finding in check(settings, is_live=is_live):
            is_any = is_any or finding.health is not Status.MISSING
            yield finding
    if needs_one and not is_any:
        yield NO_PLATFORM


async def check_deployment(
    settings: Settings, surfaces: Sequence[SurfaceCheck]
) -> AsyncGenerator[Diagnosis]:
    """Look at all that production needs and settings say."""
    settings = replace(settings, environment="production")
    for finding in check_production(settings):
        yield finding
    async for finding in check_surfaces(settings, surfaces, is_live=False, needs_one=True):
        yield finding


def check_production(settings: Settings) -> Iterator[Diagnosis]:
    """Look at officers, console and the record of a deployment in production."""
    yield _tried("officers", "name them: docs/officers.md", lambda: _officers(settings))
    yield _tried("console", "see docs/console.md", lambda: _console(settings))
    yield _tried("anchors", "see docs/record.md", lambda: _anchors(settings))
    yield _tried("ledger keys", "see docs/record.md", lambda: _keys(settings))


def _tried(subject: str, cure: str, check: Callable[[], str | None]) -> Diagnosis:
    """Return what a check says; what it lacks without being wrong is a doubt that begins so."""
    try:
        found = check()
    except CiteboundError as error:
        return Diagnosis(subject=subject, health=Status.BROKEN, found=str(error), cure=cure)
    if found is None:
        return Diagnosis(subject=subject, health=Status.FINE, found="as production needs it")
    return Diagnosis(subject=subject, health=Status.DOUBTFUL, found=found, cure=cure)


def _officers(settings: Settings) -> str | None:
    officers = read_officers(settings.officers, settings.case_channel)
    if officers.routes(is_sensitive=False):
        return None
    return "CITEBOUND_OFFICERS and CITEBOUND_CASE_CHANNEL name nobody: cases reach no one"


def _console(settings: Settings) -> str | None:
    if settings.console_url is None or settings.record_url:
        return None
    return "CITEBOUND_RECORD_URL is not set here; `serve` needs it"


def _anchors(settings: Settings) -> str | None:
    if not settings.ledger_anchors:
        return f"{ANCHORS} is not set here; the sealing process needs it"
    check_anchors(settings)
    kinds = {address.kind for address in anchor_addresses(ANCHORS, settings.ledger_anchors)}
    if "channel" in kinds and _officers(settings):
        raise ConfigError(f"{ANCHORS}: `channel` needs officers who can be reached")
    if "tsa" in kinds and settings.ledger_tsa_roots is None:
        raise ConfigError(f"{ANCHORS}: `tsa` needs CITEBOUND_LEDGER_TSA_ROOTS")
    return None


def _keys(settings: Settings) -> str | None:
    if settings.ledger_key is not None:
        signing_key(settings)
    if settings.ledger_public_keys is None:
        return f"{PUBLIC_KEYS} is not set here; `audit verify` needs it"
    keys_of_file(settings.ledger_public_keys, named=PUBLIC_KEYS)
    return None
