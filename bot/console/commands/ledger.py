"""`citebound audit verify`, `export`, `rebase` and `rotate-key`: the ledger over the record."""

import asyncio
import getpass
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from functools import partial
from pathlib import Path

from rich.text import Text

from bot.console.views.terminal import Terminal, open_terminal
from bot.ledger import (
    keys_of_file,
    make_key,
    open_ledger,
    own_key_path,
    read_key,
    readable_anchors,
    signing_key,
    trusted_keys,
)
from core.adapters.anchors.folder import FolderAnchor
from core.adapters.anchors.timestamps import read_roots, stamped_at
from core.adapters.postgres.access import open_engine
from core.adapters.postgres.engine.database import server_facts
from core.adapters.postgres.engine.ledger import Ledger
from core.adapters.postgres.engine.roles import DatabaseRole
from core.adapters.postgres.engine.schema import newest_revision
from core.adapters.postgres.record.export import PostgresExport, Selection
from core.adapters.postgres.record.sequencer import Rotation, Sealed
from core.adapters.postgres.record.verification import PostgresVerifier, VerificationBasis
from core.adapters.system import SystemClock, UuidSource
from core.audit.anchors import ReadableAnchor
from core.audit.bundle.contents import Bundle
from core.audit.bundle.read import CheckedBundle, check_bundle
from core.audit.bundle.write import write_bundle
from core.audit.checkpoint import PublicKey, checkpoint_of
from core.audit.verification import Verification
from core.config.settings import Settings
from core.domain.errors import CiteboundError, ConfigError, TransientError, UsageError

CODES = {"intact": 0, "tampered": 1, "incomplete": 2}


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What a verification is to read."""

    anchors: Sequence[Path] | None
    """Folders of checkpoints, or files with a note; None: the anchors of the settings."""
    keys: Path | None
    """A file of keys; None: those beside the anchors."""
    since: int | date | None
    """See `PostgresVerifier.verify`."""


def verify(
    *,
    anchors: Sequence[Path] | None,
    keys: Path | None,
    since: str | None,
    bundle: Path | None,
    as_json: bool,
) -> int:
    """Verify the ledger, and return 0 if it is intact, 1 if not, 2 if that could not be told."""
    terminal = open_terminal()
    asked = Asked(anchors=anchors, keys=keys, since=_size_or_day(since))
    if bundle is not None:
        return _told(terminal, asyncio.run(_check_bundle(bundle, asked)), as_json=as_json)
    try:
        with terminal.busy("Reading the record"):
            found = asyncio.run(_verify(Settings.from_environment(), asked))
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
    *,
    record: str | None,
    case: str | None,
    policy: str | None,
    since: str | None,
    until: str | None,
    output: Path,
) -> int:
    """Write a bundle of records; 0."""
    selection = Selection(
        record=record, case=case, policy=policy, since=_day(since), until=_day(until)
    )
    if not selection.about():
        raise UsageError("say which records: --record, --case, --policy, --since or --until")
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


def rotate_key(*, to: Path | None, is_compromised: bool) -> int:
    """Let another key sign from now on; 0."""
    settings = Settings.from_environment()
    if to is None and settings.ledger_key is not None:
        raise UsageError(
            "say where the new key stands, or shall be made: --to FILE; CITEBOUND_LEDGER_KEY names"
            " the old one"
        )
    rotation = asyncio.run(_rotate(settings, to, is_compromised=is_compromised))
    generation, size = rotation.retired.until or (0, 0)
    then = f" Let CITEBOUND_LEDGER_KEY name {to}, and start `audit seal` anew." if to else ""
    open_terminal().show(
        Text(f"The old key counts up to checkpoint {size} of generation {generation}.{then}")
    )
    return 0


async def _check_bundle(bundle: Path, asked: Asked) -> CheckedBundle:
    settings = Settings.from_environment()
    anchors = _anchors(settings, asked.anchors)
    notes, _ = await _notes(anchors, asked)
    keys = await _keys(settings, anchors, asked.keys)
    return await asyncio.to_thread(check_bundle, bundle, keys, notes)


def _told(terminal: Terminal, found: CheckedBundle, *, as_json: bool) -> int:
    lacks = "" if found.is_anchored else "no anchor has the bundle's checkpoint"
    if as_json:
        told = {"result": found.result, "shown": [*found.shown], "problem": found.problem}
        terminal.show_json({**told, "lacks": [lacks] if lacks else []})
    else:
        said = [*found.shown] if found.problem is None else [found.problem]
        lines = [*said, *([f"Lacking: {lacks}"] if lacks and found.problem is None else [])]
        terminal.show(Text(HEADINGS[found.result], style="bold"), *map(Text, lines))
    return CODES[found.result]


async def _notes(anchors: Sequence[ReadableAnchor], asked: Asked) -> tuple[list[str], list[str]]:
    """Return the notes that stand outside the database, and what could not be read."""
    lacks: list[str] = []
    notes = [one.read_text() for one in asked.anchors or () if one.is_file()]
    for anchor in anchors:
        try:
            notes += await anchor.notes()
        except TransientError as error:
            lacks.append(str(error))
    return notes, lacks


async def _verify(settings: Settings, asked: Asked) -> Verification:
    anchors = _anchors(settings, asked.anchors)
    notes, lacks = await _notes(anchors, asked)
    roots = settings.ledger_tsa_roots
    basis = VerificationBasis(
        keys=await _keys(settings, anchors, asked.keys),
        anchored=notes,
        stamped_at=partial(stamped_at, roots=read_roots(roots)) if roots else None,
        lacks=lacks,
    )
    async with open_engine(settings, DatabaseRole.AUDITOR, migrates=False) as engine:
        revision = (await server_facts(engine)).revision
        if revision != newest_revision():
            # What a later one added would pass for a change.
            raise ConfigError(f"the schema is at {revision}, of a later release: verify with that")
        verifier = PostgresVerifier(engine, deployment=settings.ledger_name)
        return await verifier.verify(basis, since=asked.since)


def _anchors(settings: Settings, given: Sequence[Path] | None) -> Sequence[ReadableAnchor]:
    """Return the folders that are given, else the anchors of the settings."""
    if given is None:
        return readable_anchors(settings)
    return [FolderAnchor(one) for one in given if not one.is_file()]


async def _keys(
    settings: Settings, anchors: Sequence[ReadableAnchor], keys: Path | None
) -> list[PublicKey]:
    return keys_of_file(keys) if keys else await trusted_keys(settings, anchors)


async def _export(settings: Settings, selection: Selection) -> Bundle:
    clock = SystemClock()
    ledger = Ledger(clock=clock, ids=UuidSource(), unit=settings.unit)
    keys = await trusted_keys(settings, readable_anchors(settings))
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


def _size_or_day(written: str | None) -> int | date | None:
    return int(written) if written and written.isdecimal() else _day(written)


def _day(written: str | None) -> date | None:
    try:
        return date.fromisoformat(written) if written else None
    except ValueError as error:
        raise UsageError(f"expected a day as in 2026-01-31, got {written!r}") from error


async def _rebase(settings: Settings, reason: str) -> Sealed:
    key = signing_key(settings)
    async with open_ledger(settings, key) as ledger:
        sealed = await ledger.sequencer.rebase(ledger.records, reason=reason)
        for anchor in ledger.readable:
            await anchor.keep_key(key.public)
            await anchor.publish(sealed.note)
    return sealed


async def _rotate(settings: Settings, to: Path | None, *, is_compromised: bool) -> Rotation:
    """Hand over, tell the anchors, and put the key in place where it is not the operator's to."""
    old = signing_key(settings)
    path = to or own_key_path(settings).with_name("ledger-key.next.pem")
    if not path.exists():
        make_key(settings, path)
    new = read_key(settings, path, named="--to")
    async with open_ledger(settings, old) as ledger:
        until = None
        if is_compromised:
            notes = [note for one in ledger.readable if (note := await one.newest()) is not None]
            until = max((checkpoint_of(note).position for note in notes), default=(0, 0))
        rotation = await ledger.sequencer.rotate(new, ledger.records, until=until)
        for anchor in ledger.readable:
            await anchor.keep_key(rotation.retired)
            await anchor.keep_key(new.public)
            await anchor.publish(rotation.note)
    if to is None and settings.ledger_key is None:
        path.replace(own_key_path(settings))
    return rotation


def _json(found: Verification) -> dict[str, object]:
    return {
        "result": found.result,
        "origin": found.newest.origin if found.newest else None,
        "size": found.newest.size if found.newest else 0,
        "root": found.newest.root.hex() if found.newest else None,
        "sealed_until": _written(found.sealed_until),
        "unsealed": found.unsealed,
        "erased": found.erased,
        "checked": {
            "records": found.records,
            "checkpoints": found.checkpoints,
            "anchors": found.anchors,
            "timestamps": found.timestamps,
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
            f" {found.anchors} of anchors, {found.timestamps} timestamps, {found.contents} texts,"
            f" {found.erased} erased."
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
