"""What `citebound doctor` says of sources: how current they are, and whether they answer."""

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import replace

from bot.console.sources.shown import counted
from bot.console.views.terminal import local, one_line
from bot.doctor_check import Diagnosis, Status
from core.adapters.postgres.corpus.sources import PostgresSources
from core.domain.errors import CiteboundError
from core.sources.connector import Connect, PolicySource
from core.sources.store import SourceStatus

WITHIN_S = 30.0
"""What one check may take."""


async def check_sources(
    store: PostgresSources, connect: Connect, *, is_live: bool
) -> AsyncGenerator[Diagnosis]:
    """Yield what is known of each source; live, whether it can be reached and read now."""
    for one in await store.all():
        found = await _checked(one.source, connect) if is_live else _known(local(one))
        yield _with_unread(found, one) if found.health is Status.FINE else found


def _known(one: SourceStatus) -> Diagnosis:
    subject = f"source {one.source.name}"
    if error := one.error or one.access_error:
        since = one.error_since or one.access_error_since
        found = f"fails since {since:%Y-%m-%d %H:%M %Z}: {one_line(error, limit=300)}"
        cure = "`citebound doctor --live` tries it now"
        return Diagnosis(subject=subject, health=Status.BROKEN, found=found, cure=cure)
    if one.synced_at is None:
        cure = f"`citebound sources sync {one.source.name}`, or let `citebound work` run"
        return Diagnosis(
            subject=subject, health=Status.MISSING, found="has not been read yet", cure=cure
        )
    found = f"{one.source.kind}, last worked through {one.synced_at:%Y-%m-%d %H:%M %Z}"
    return Diagnosis(subject=subject, health=Status.FINE, found=found)


def _with_unread(diagnosis: Diagnosis, one: SourceStatus) -> Diagnosis:
    """Doubt a source that works, and does not say who may read some of its documents."""
    if not one.unread:
        return diagnosis
    return replace(
        diagnosis,
        health=Status.DOUBTFUL,
        found=f"{diagnosis.found}; the permissions of {counted(one.unread, 'document')} can't be"
        " read, so the last known readers still apply",
        cure=f"`citebound sources show {one.source.name}` has them",
    )


async def _checked(source: PolicySource, connect: Connect) -> Diagnosis:
    subject = f"source {source.name}"
    try:
        async with asyncio.timeout(WITHIN_S), connect(source) as connector:
            found = one_line(await connector.check(), limit=300)
    except TimeoutError:
        said, cure = f"no answer within {WITHIN_S:.0f} s", "look at its address and the network"
    except CiteboundError as error:
        cause, colon, cure = one_line(str(error), limit=400).rpartition(": ")
        said, cure = (cause, cure) if colon else (cure, "")
    else:
        return Diagnosis(subject=subject, health=Status.FINE, found=f"{source.kind}: {found}")
    return Diagnosis(subject=subject, health=Status.BROKEN, found=said, cure=cure)
