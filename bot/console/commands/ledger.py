"""`citebound audit verify` and `rebase`: the ledger over the record."""

import asyncio
import getpass
from collections.abc import Sequence
from datetime import UTC, date, datetime
from pathlib import Path

from rich.text import Text

from bot.console.views.terminal import open_terminal
from bot.ledger import anchors_of, open_sequencer, signing_key, trusted_keys
from core.adapters.anchor_folder import AnchorFolder
from core.adapters.postgres.access import open_engine
from core.adapters.postgres.engine.ledger import Ledger
from core.adapters.postgres.engine.roles import DatabaseRole
from core.adapters.postgres.record.export import PostgresExport, Selection
from core.adapters.postgres.record.sequencer import Sealed
from core.adapters.postgres.record.verification import PostgresVerifier
from core.adapters.system import SystemClock, UuidSource
from core.audit.bundle.write import Bundle, write_bundle
from core.audit.verification import Verification
from core.config.settings import Settings
from core.domain.errors import CiteboundError, ConfigError, UsageError

CODES = {"intact": 0, "tampered": 1, "incomplete": 2}


def verify(*, anchors: Sequence[Path] | None, keys: Path | None, as_json: bool) -> int:
    """Verify the ledger, and return 0 if it is intact, 1 if not, 2 if that could not be told."""
    terminal = open_terminal()
    try:
        with terminal.busy("Reading the record"):
            found = asyncio.run(_verify(Settings.from_environment(), anchors, keys))
    except CiteboundError as error:
        if as_json:
            terminal.show_json({"result": "incomplete", "error": str(error)})
        else:
            terminal.show(Text(f"Not verified: {error}"))
        return CODES["incomplete"]
    if as_json:
        terminal.show_json(_json(found))
    else:
        terminal.show(*_lines(found))
    return CODES[found.result]


def export(
    *, record: str | None, policy: str | None, since: str | None, until: str | None, output: Path
) -> int:
    """Write a bundle of records; 0."""
    selection = Selection(record=record, policy=policy, since=_day(since), until=_day(until))
    if not selection.about():
        raise UsageError("say which records: --record, --policy, --since or --until")
    bundle = asyncio.run(_export(Settings.from_environment(), selection))
    try:
        write_bundle(bundle, output)
    except OSError as error:
        raise UsageError(f"{output} can't be written: {error.strerror}") from error
    open_terminal().show(
        Text(f"{len(bundle.records)} records are in {output}; it holds personal text.")
    )
    return 0


def rebase(*, reason: str) -> int:
    """Open a new generation of the ledger; 0."""
    sealed = asyncio.run(_rebase(Settings.from_environment(), reason))
    open_terminal().show(Text(f"The ledger goes on with {sealed.size} records."))
    return 0


async def _verify(
    settings: Settings, folders: Sequence[Path] | None, keys: Path | None
) -> Verification:
    anchors = [AnchorFolder(one) for one in folders] if folders else anchors_of(settings)
    lacks: list[str] = []
    notes: list[str] = []
    for anchor in anchors:
        try:
            notes += await anchor.notes()
        except OSError as error:
            lacks.append(f"the anchor {anchor.folder} can't be read: {error.strerror}")
    trusted = trusted_keys(settings, anchors, keys)
    async with open_engine(settings, DatabaseRole.AUDITOR, migrates=False) as engine:
        verifier = PostgresVerifier(engine, deployment=settings.ledger_name)
        return await verifier.verify(keys=trusted, anchored=notes, lacks=lacks)


async def _export(settings: Settings, selection: Selection) -> Bundle:
    clock = SystemClock()
    ledger = Ledger(clock=clock, ids=UuidSource(), unit=settings.unit)
    keys = trusted_keys(settings, anchors_of(settings), None)
    if not keys:
        raise ConfigError(
            "no public key of the ledger is known: `citebound audit seal` makes one, and"
            " CITEBOUND_LEDGER_ANCHORS names where it stands"
        )
    officer = getpass.getuser()
    async with open_engine(
        settings, DatabaseRole.CONSOLE, officer=officer, migrates=False
    ) as engine:
        export = PostgresExport(engine, ledger=ledger)
        return await export.bundle(selection, keys=keys, actor=officer)


def _day(written: str | None) -> date | None:
    try:
        return date.fromisoformat(written) if written else None
    except ValueError as error:
        raise UsageError(f"expected a day as in 2026-01-31, got {written!r}") from error


async def _rebase(settings: Settings, reason: str) -> Sealed:
    key, anchors = signing_key(settings), anchors_of(settings)
    clock = SystemClock()
    ledger = Ledger(clock=clock, ids=UuidSource(), unit=settings.unit)
    async with open_sequencer(settings, key) as sequencer:
        sealed = await sequencer.rebase(ledger, reason=reason)
    for anchor in anchors:
        await anchor.append(sealed.note, key.public)
    return sealed


def _json(found: Verification) -> dict[str, object]:
    return {
        "result": found.result,
        "origin": found.newest.origin if found.newest else None,
        "size": found.newest.size if found.newest else 0,
        "root": found.newest.root.hex() if found.newest else None,
        "sealed_until": _written(found.sealed_until),
        "unsealed": found.unsealed,
        "checked": {
            "records": found.records,
            "checkpoints": found.checkpoints,
            "anchors": found.anchors,
            "contents": found.contents,
        },
        "problems": [
            {"class": one.kind.value, "record": one.record, "leaf": one.leaf, "detail": one.detail}
            for one in found.problems
        ],
        "problem_count": found.count,
        "warnings": [*found.warnings],
        "lacks": [*found.lacks],
        "took_ms": round(found.took_ms),
    }


def _written(at: int | None) -> str | None:
    return None if at is None else datetime.fromtimestamp(at, UTC).isoformat()


HEADINGS = {
    "intact": "Intact.",
    "tampered": "Not intact.",
    "incomplete": "Not verified: something is missing.",
}


def _lines(found: Verification) -> list[Text]:
    until = _written(found.sealed_until)
    sealed = f", sealed until {until}" if until else ""
    lines = [
        Text(HEADINGS[found.result], style="bold"),
        Text(
            f"{found.records} records{sealed}; {found.checkpoints} checkpoints,"
            f" {found.anchors} of anchors, {found.contents} texts."
        ),
    ]
    for one in found.problems:
        where = " ".join(
            part
            for part in (
                f"record {one.record}" if one.record else "",
                f"leaf {one.leaf}" if one.leaf is not None else "",
            )
            if part
        )
        lines.append(Text(f"{one.kind.value}  {where}{': ' if where else ''}{one.detail}"))
    if found.count > len(found.problems):
        lines.append(Text(f"and {found.count - len(found.problems)} more"))
    lines += [Text(f"Lacking: {what}") for what in found.lacks]
    lines += [Text(f"Note: {what}") for what in found.warnings]
    return lines
