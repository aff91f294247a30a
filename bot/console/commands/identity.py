"""`citebound audit unmask`, `request` and `identity-key`: who people are, and who may know."""

import asyncio
import os
from pathlib import Path

from rich.text import Text

from bot.console.commands.privacy import acting
from bot.console.views.terminal import Row, local, one_line, open_terminal
from core.adapters.postgres.engine.identity_key import IdentityKey
from core.adapters.postgres.officers.requests import (
    HOURS,
    PostgresRequests,
    Request,
    Unmasked,
)
from core.adapters.postgres.officers.session import Reading
from core.domain.codec import json_of
from core.domain.errors import ConfigError, UsageError

LISTED = Reading(statement="audit request list", views=("v_requests",))


def ask(*, record: str, reason: str, basis: str, officer: str | None) -> int:
    """Ask who stands behind a record; 0."""
    request = asyncio.run(_ask(officer, record, reason, basis))
    open_terminal().show(
        Text(f"Asked for: {request}. Another officer has {HOURS} hours to approve it.")
    )
    return 0


def reveal(*, request: str, key: Path, officer: str | None, as_json: bool) -> int:
    """Learn who it is, once; 0."""
    try:
        private = IdentityKey.from_pem(key.read_bytes())
    except OSError as error:
        raise ConfigError(f"--key: {key} can't be read: {error.strerror}") from error
    found = asyncio.run(_reveal(officer, request, private))
    who, terminal = found.person, open_terminal()
    if as_json:
        terminal.show_json(
            {
                "pseudonym": found.pseudonym,
                "platform": who.platform,
                "tenant": who.tenant,
                "person": who.person,
            }
        )
        return 0
    place = f"{who.platform}, workspace {who.tenant}"
    terminal.show(Text(one_line(f"{found.pseudonym} is {who.person} ({place}).")))
    return 0


def approve(*, request: str, officer: str | None) -> int:
    """Approve what another officer asks for; 0."""
    decided = asyncio.run(_decide(officer, request, approves=True))
    open_terminal().show(
        Text(one_line(f"Approved: {decided.officer} has {HOURS} hours to do it. Recorded."))
    )
    return 0


def deny(*, request: str, officer: str | None) -> int:
    """Deny it; 0."""
    asyncio.run(_decide(officer, request, approves=False))
    open_terminal().show(Text("Denied. Recorded."))
    return 0


def list_requests(*, officer: str | None, as_json: bool) -> int:
    """List what was asked for; 0."""
    terminal = open_terminal()
    found = asyncio.run(_list(officer))
    if as_json:
        terminal.show_json([_as_json(one) for one in found])
    elif found:
        terminal.show(*(_row(local(request)) for request in found))
    else:
        terminal.show(Text("Nothing was asked for."))
    return 0


def make_key(*, file: Path) -> int:
    """Write a new key that nobody else can read, and print its public half; 0."""
    key = IdentityKey.generate()
    try:
        opened = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError as error:
        raise UsageError(f"{file} is there already, and is not overwritten") from error
    except OSError as error:
        raise UsageError(f"{file} can't be written: {error.strerror}") from error
    with os.fdopen(opened, "wb") as written:
        written.write(key.to_pem())
    terminal = open_terminal()
    terminal.show_unwrapped(f"CITEBOUND_IDENTITY_KEY={key.public.text}")
    terminal.remark(Text(f"The private key is in {file}: keep it with the officers, and a copy."))
    return 0


async def _ask(officer: str | None, record: str, reason: str, basis: str) -> str:
    async with acting(officer) as session:
        return await PostgresRequests(session).ask_to_unmask(record, reason=reason, basis=basis)


async def _reveal(officer: str | None, request: str, key: IdentityKey) -> Unmasked:
    async with acting(officer) as session:
        return await PostgresRequests(session).reveal(request, key)


async def _decide(officer: str | None, request: str, *, approves: bool) -> Request:
    async with acting(officer) as session:
        return await PostgresRequests(session).decide(request, approves=approves)


async def _list(officer: str | None) -> list[Request]:
    async with acting(officer) as session:
        return await PostgresRequests(session).list(LISTED)


def _row(request: Request) -> Row:
    what = f"unmask record {request.record_id}" if request.record_id else _erasure(request)
    decided = f" by {request.decided_by}" if request.decided_by else ""
    said = [f"{request.officer}: {request.basis or '(erased)'}"]
    said += [request.reason] if request.reason else []
    return Row(
        heads=(
            Text(f"{request.at:%Y-%m-%d}", style="dim"),
            Text(request.request_id, style="bold"),
            Text(f"{request.state}{decided}"),
        ),
        lines=tuple(Text(one_line(line)) for line in (what, *said)),
    )


def _erasure(request: Request) -> str:
    named = ", ".join(f"{name} {one}" for name, one in request.scope.as_json().items())
    return f"erase: {named}"


def _as_json(request: Request) -> dict[str, object]:
    scope = request.scope.as_json() if request.what == "erasure" else None
    return json_of(request, scope=scope)
