"""`citebound audit verify`, `export`, `rebase` and `rotate-key`: the ledger over the record."""

import asyncio
import getpass
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from datetime import date
from functools import partial
from pathlib import Path

from rich.text import Text

from bot.console.stores import operator
from bot.console.views.terminal import Terminal, open_terminal
from bot.console.views.verdict_view import (
    HEADINGS,
    record_verdict_json,
    record_verdict_lines,
    verdict_json,
    verdict_lines,
)
from bot.ledger import (
    ANCHORS,
    FEWEST,
    PUBLIC_KEYS,
    keys_of_file,
    known_keys,
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
from core.adapters.postgres.record.record_proof import PostgresRecordVerifier, VerifiedRecord
from core.adapters.postgres.record.sequencer import Rotation, Sealed
from core.adapters.postgres.record.verification import (
    PostgresVerifier,
    VerificationBasis,
    record_verification,
)
from core.adapters.system import SystemClock, UuidSource
from core.audit.anchors import ReadableAnchor
from core.audit.bundle.read import CheckedBundle, check_bundle
from core.audit.bundle.write import Bundle, write_bundle
from core.audit.checkpoint import PublicKey, checkpoint_of
from core.audit.verification import Verification
from core.config.settings import Settings
from core.domain.errors import CiteboundError, ConfigError, TransientError, UsageError
from core.domain.json_value import Json

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
    record: str | None
    """One record, by its id or the reference below the reply; None: all."""

    def about(self) -> dict[str, Json]:
        """Return which part it reads, for the record."""
        since = self.since.isoformat() if isinstance(self.since, date) else self.since
        return {"since": since, "record": self.record}


def verify(
    *,
    anchors: Sequence[Path] | None,
    keys: Path | None,
    since: str | None,
    record: str | None,
    bundle: Path | None,
    as_json: bool,
) -> int:
    """Verify the ledger, and return 0 if it is intact, 1 if not, 2 if that could not be told."""
    terminal = open_terminal()
    if sum(one is not None for one in (since, record, bundle)) > 1:
        raise UsageError("give one of --since, --record and --bundle")
    asked = Asked(anchors=anchors, keys=keys, since=_size_or_day(since), record=record)
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
    _show(terminal, found, as_json=as_json)
    return CODES[found.result]


def _show(terminal: Terminal, found: Verification | VerifiedRecord, *, as_json: bool) -> None:
    if isinstance(found, VerifiedRecord):
        told, lines = record_verdict_json(found), record_verdict_lines(found)
    else:
        told, lines = verdict_json(found), verdict_lines(found)
    if as_json:
        terminal.show_json(told)
    else:
        terminal.show(*lines)


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
        raise UsageError("select records with --record, --case, --policy, --since or --until")
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
    open_terminal().show(Text(f"The ledger continues with {sealed.size} records."))
    return 0


def rotate_key(*, to: Path | None, is_compromised: bool) -> int:
    """Let another key sign from now on; 0."""
    settings = Settings.from_environment()
    if to is None and settings.ledger_key is not None:
        raise UsageError(
            "name the file of the new key, to be created if missing: --to FILE;"
            " CITEBOUND_LEDGER_KEY names the old one"
        )
    rotation = asyncio.run(_rotate(settings, to, is_compromised=is_compromised))
    generation, size = rotation.retired.until or (0, 0)
    then = f" Let CITEBOUND_LEDGER_KEY name {to}, and start `audit seal` anew." if to else ""
    then += f" Add {rotation.successor.text()} to the file of {PUBLIC_KEYS}."
    open_terminal().show(
        Text(f"The old key counts up to checkpoint {size} of generation {generation}.{then}")
    )
    return 0


async def _check_bundle(bundle: Path, asked: Asked) -> CheckedBundle:
    settings = Settings.from_environment()
    anchors = _anchors(settings, asked.anchors)
    notes, _ = await _notes(settings, anchors, asked)
    keys = await _keys(settings, anchors, asked.keys)
    return await asyncio.to_thread(check_bundle, bundle, keys, notes)


def _told(terminal: Terminal, found: CheckedBundle, *, as_json: bool) -> int:
    if as_json:
        terminal.show_json({"result": found.result, **asdict(found)})
    else:
        lines = [*found.shown, *filter(None, [found.problem])]
        lines += [f"Lacking: {lack}" for lack in found.lacks]
        terminal.show(Text(HEADINGS[found.result], style="bold"), *map(Text, lines))
    return CODES[found.result]


async def _notes(
    settings: Settings, anchors: Sequence[ReadableAnchor], asked: Asked
) -> tuple[list[str], list[str]]:
    """Return the notes that stand outside the database, and what could not be read."""
    lacks: list[str] = []
    notes = [one.read_text() for one in asked.anchors or () if one.is_file()]
    read = len(notes)
    for anchor in anchors:
        try:
            kept = await anchor.notes()
        except TransientError as error:
            lacks.append(str(error))
        else:
            notes += kept
            read += bool(kept)
    if settings.environment == "production" and read < FEWEST:
        lacks.append(
            f"{read} anchors have checkpoints, and production compares {FEWEST}: name them in"
            f" {ANCHORS}, or with --anchors a file with a post of the officers' channel"
        )
    return notes, lacks


async def _verify(settings: Settings, asked: Asked) -> Verification | VerifiedRecord:
    anchors = _anchors(settings, asked.anchors)
    notes, lacks = await _notes(settings, anchors, asked)
    keys = await _keys(settings, anchors, asked.keys)
    if not keys and settings.environment == "production":
        lacks.append(
            f"name a file of public keys in {PUBLIC_KEYS}: those beside anchors prove nothing"
        )
    roots = settings.ledger_tsa_roots
    basis = VerificationBasis(
        keys=keys,
        anchored=notes,
        stamped_at=partial(stamped_at, roots=read_roots(roots)) if roots else None,
        lacks=lacks,
    )
    async with open_engine(settings, DatabaseRole.AUDITOR, migrates=False) as engine:
        revision = (await server_facts(engine)).revision
        if revision != newest_revision():
            # What a later one added would pass for a change.
            raise ConfigError(f"the schema is at {revision}, of a later release: verify with that")
        if asked.record is not None:
            one = PostgresRecordVerifier(engine, deployment=settings.ledger_name)
            found = await one.verify(asked.record, basis)
        else:
            verifier = PostgresVerifier(engine, deployment=settings.ledger_name)
            found = await verifier.verify(basis, since=asked.since)
        ledger = Ledger(clock=SystemClock(), ids=UuidSource(), unit=settings.unit)
        try:
            says = {**asked.about(), **found.summary()}
            await record_verification(engine, says, ledger=ledger, operator=operator())
        except TransientError as error:
            unrecorded = f"this verification could not be recorded: {error}"
            return replace(found, warnings=[*found.warnings, unrecorded])
        return found


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
    keys = await known_keys(settings, readable_anchors(settings))
    if not keys:
        raise ConfigError(
            "no public key of the ledger is known: `citebound audit seal` creates one, and"
            " CITEBOUND_LEDGER_ANCHORS says where it is kept"
        )
    officer = getpass.getuser()
    async with open_engine(
        settings, DatabaseRole.CONSOLE, officer=officer, ledger=ledger, migrates=False
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
        notes = [note for one in ledger.readable if (note := await one.newest()) is not None]
        anchored = max((checkpoint_of(note).position[0] for note in notes), default=0)
        sealed = await ledger.sequencer.rebase(ledger.records, reason=reason, anchored=anchored)
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
