"""Search the record, read one record, and hand records out."""

import asyncio
import secrets
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import KW_ONLY, dataclass
from io import BytesIO
from uuid import UUID

from aiohttp import web

from bot.officer.filters import Filters, filters
from bot.officer.gate import HOME, Gate, NoPageError, Visit
from bot.officer.rendering import Pages
from core.adapters.postgres.console.record_page import read_proof, read_record_page
from core.adapters.postgres.console.search import (
    BADGES,
    OUTCOMES,
    Cursor,
    RecordFilter,
    find_records,
)
from core.adapters.postgres.record.export import PostgresExport, Selection, read_bundle
from core.audit.bundle.write import Bundle, write_bundle
from core.audit.checkpoint import PublicKey
from core.domain.case_actions import NOTE_LIMIT
from core.domain.errors import IntegrityError, UsageError

RECORDS = f"{HOME}/records"
_FIELDS = ("words", "asker", "policy", "section", "outcome", "badge", "since", "until")


@dataclass(frozen=True, slots=True)
class RecordPages:
    """The pages about the record; `keys` says whose signatures are trusted."""

    gate: Gate
    pages: Pages
    export: PostgresExport
    _: KW_ONLY
    keys: Callable[[], Awaitable[Sequence[PublicKey]]]

    def routes(self) -> tuple[web.RouteDef, ...]:
        """Return what is served here."""
        page = self.gate.page
        return (
            web.get(RECORDS, page(self.search)),
            web.post(f"{RECORDS}/export", page(self.hand_out)),
            web.get(f"{RECORDS}/{{id}}", page(self.show)),
            web.get(f"{RECORDS}/{{id}}/proof", page(self.prove)),
        )

    async def search(self, visit: Visit) -> web.StreamResponse:
        """Find records; the address holds what is looked for."""
        asked = filters(visit.request.query, _FIELDS)
        wanted, kept = _filter(asked, self.pages.zone_name), asked.kept
        before, after = (Cursor.parse(visit.query(name)) for name in ("before", "after"))
        async with visit.record.reading(visit.reading("record", "content")) as connection:
            found = await find_records(connection, wanted, before=before, after=after)
        return self.pages.response(
            "records.html",
            visit=visit,
            found=found,
            given=asked.given,
            kept=kept,
            is_filtered=not wanted.is_empty,
            problems=asked.problems,
            outcomes=OUTCOMES,
            badges=BADGES,
            older=found.older and asked.address(RECORDS, before=found.older),
            newer=found.newer and asked.address(RECORDS, after=found.newer),
            can_export=bool(set(kept) & {"policy", "since", "until"})
            and not set(kept) - {"policy", "since", "until"},
        )

    async def show(self, visit: Visit) -> web.StreamResponse:
        """Show one record; that it was viewed is recorded first."""
        record_id = _uuid(visit.part("id"))
        async with visit.record.reading(visit.reading(record_id=str(record_id))) as connection:
            found = await read_record_page(connection, record_id)
        if found is None:
            raise NoPageError
        return self.pages.response(
            "record.html",
            visit=visit,
            page=found,
            key=secrets.token_urlsafe(16),
            limit=NOTE_LIMIT,
        )

    async def prove(self, visit: Visit) -> web.StreamResponse:
        """Show how a record leads to a signed checkpoint."""
        record_id = _uuid(visit.part("id"))
        async with visit.record.reading(visit.reading(record_id=str(record_id))) as connection:
            found = await read_record_page(connection, record_id)
            if found is None:
                raise NoPageError
            proof = await read_proof(connection, found.place) if found.place else None
        return self.pages.response("proof.html", visit=visit, page=found, proof=proof)

    async def hand_out(self, visit: Visit) -> web.StreamResponse:
        """Send a bundle: one record, or what a search by policy and days finds."""
        form = await visit.form()
        asked = filters(form, _FIELDS)
        wanted = _filter(asked, self.pages.zone_name)
        record = str(form.get("record", ""))
        selection = Selection(
            record=str(_uuid(record)) if record else None,
            policy=wanted.policy or None,
            since=wanted.since,
            until=wanted.until,
        )
        if asked.problems or not selection.about():
            raise web.HTTPBadRequest
        try:
            async with visit.record.reading(visit.reading("record", "content")) as connection:
                bundle = await read_bundle(connection, selection, keys=await self.keys())
            await self.export.record(
                selection, len(bundle.records), actor=visit.officer.login, actor_kind="officer"
            )
        except (UsageError, IntegrityError) as error:
            return self.pages.response("not_exported.html", status=409, visit=visit, why=str(error))
        body = await asyncio.to_thread(_zipped, bundle)
        name = f"record-{record[:8]}" if record else f"records-{wanted.policy or 'all'}"
        safe = "".join(letter if letter.isalnum() or letter in "-_" else "-" for letter in name)
        return web.Response(
            body=body,
            content_type="application/zip",
            headers={"Content-Disposition": f'attachment; filename="{_ascii(safe)}.zip"'},
        )


def _filter(asked: Filters, zone: str) -> RecordFilter:
    given = asked.given
    return RecordFilter(
        words=given["words"],
        asker=given["asker"],
        policy=given["policy"],
        section=given["section"],
        outcome=given["outcome"] if given["outcome"] in OUTCOMES else "",
        badge=given["badge"] if given["badge"] in BADGES else "",
        since=asked.since,
        until=asked.until,
        zone=zone,
    )


def _uuid(written: str) -> UUID:
    try:
        return UUID(written)
    except ValueError as error:
        raise NoPageError from error


def _zipped(bundle: Bundle) -> bytes:
    held = BytesIO()
    write_bundle(bundle, held)
    return held.getvalue()


def _ascii(name: str) -> str:
    return name.encode("ascii", "replace").decode().replace("?", "-")
