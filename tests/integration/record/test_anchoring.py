"""Sealing goes on whatever its anchors do, each of which is caught up with at its own pace."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from uuid import NAMESPACE_URL, uuid5

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from bot.app.sealing import Sealing
from bot.ledger import OpenLedger
from bot.metrics import Meter
from core.adapters.anchors.folder import FolderAnchor
from core.adapters.postgres.engine.ledger import Ledger
from core.adapters.postgres.record.services import PostgresServices
from core.adapters.system import SystemClock, UuidSource
from core.audit.checkpoint import checkpoint_of
from core.config.settings import Settings
from core.domain.errors import IntegrityError, TransientError
from tests.integration.record.sealing import DEPLOYMENT, SealedLedger

CONVERSATION = uuid5(NAMESPACE_URL, "conversation")


@dataclass
class ScriptedAnchor:
    """Takes notes, unless it is told to fail or to stand still."""

    kind: str
    pace_s: float = 0.0
    name: str = "scripted"
    taken: list[str] = field(default_factory=list[str])
    fails: bool = False
    stands_still: bool = False
    attempts: int = 0

    async def publish(self, note: str, /) -> None:
        self.attempts += 1
        if self.stands_still:
            await asyncio.Event().wait()
        if self.fails:
            raise TransientError("the anchor can't be reached")
        self.taken.append(note)

    async def newest(self) -> str | None:
        return self.taken[-1] if self.taken else None


@asynccontextmanager
async def sealing(
    ledger: SealedLedger, *anchors: ScriptedAnchor, folder: FolderAnchor | None = None
) -> AsyncGenerator[tuple[Sealing, Meter]]:
    """Seal each second, with these anchors."""
    meter = Meter()
    records = Ledger(clock=SystemClock(), ids=UuidSource(), unit="berlin")
    opened = OpenLedger(
        sequencer=ledger.sequencer,
        services=PostgresServices(ledger.engine, ledger=records),
        records=records,
        anchors=(*anchors, *([folder] if folder else [])),
        readable=(folder,) if folder else (),
    )
    settings = Settings(home=Path("/nonexistent"), ledger_name=DEPLOYMENT)
    process = Sealing(settings, opened, ledger.key, meter)
    await process.begin()
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(one) for one in process.loops()]
        yield process, meter
        for task in tasks:
            task.cancel()


async def until(condition: Callable[[], object]) -> None:
    """Wait for what comes within seconds."""
    async with asyncio.timeout(60):
        while not condition():  # noqa: ASYNC110  # what it tells, it tells nobody
            await asyncio.sleep(0.02)


def _has(anchor: ScriptedAnchor, size: int) -> bool:
    return bool(anchor.taken) and checkpoint_of(anchor.taken[-1]).size == size


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Try again at once what failed."""
    monkeypatch.setattr("bot.app.sealing.AGAIN_S", (0.1,))


@pytest.fixture
async def ledger(engine: AsyncEngine) -> SealedLedger:
    ledger = SealedLedger(engine)
    await ledger.append(2, conversation=CONVERSATION)
    return ledger


async def test_one_that_stands_still_and_one_that_fails_hold_up_nothing(
    ledger: SealedLedger, tmp_path: Path
) -> None:
    """And what failed is caught up with: the newest checkpoint covers those before it."""
    stuck, failing = ScriptedAnchor("s3", stands_still=True), ScriptedAnchor("tsa", fails=True)
    folder = FolderAnchor(tmp_path / "anchors")
    async with sealing(ledger, stuck, failing, folder=folder) as (_, meter):
        await until(lambda: "citebound_sealed_records 2.0" in meter.text())
        await until(lambda: 'citebound_anchored_at_seconds{kind="folder"}' in meter.text())
        await ledger.append(1, conversation=CONVERSATION, first=3)
        await until(lambda: "citebound_sealed_records 3.0" in meter.text())
        await until(lambda: failing.attempts > 2)
        assert 'citebound_anchor_failures_total{kind="tsa"} 0.0' not in meter.text()
        failing.fails = False
        await until(lambda: failing.taken)
    notes = await folder.notes()
    assert failing.taken == notes[-1:]
    assert stuck.taken == []
    assert (await ledger.verify(anchored=notes)).result == "intact"


async def test_each_keeps_its_own_pace(ledger: SealedLedger) -> None:
    """Also over a restart: what an anchor has says when it is due again."""
    often, seldom = ScriptedAnchor("folder"), ScriptedAnchor("channel", pace_s=3_600)
    for first in (3, 4):
        async with sealing(ledger, often, seldom) as (_, meter):
            size = first - 1
            await until(lambda size=size: f"citebound_sealed_records {size}.0" in meter.text())
            await ledger.append(1, conversation=CONVERSATION, first=first)
            await until(lambda first=first: f"citebound_sealed_records {first}.0" in meter.text())
            await until(lambda first=first: _has(often, first))
    assert checkpoint_of(often.taken[-1]).size == 4
    assert len(often.taken) > len(seldom.taken) == 1


async def test_a_database_behind_an_anchor_is_not_sealed(
    ledger: SealedLedger, tmp_path: Path
) -> None:
    """Also where the anchor can be reached only once sealing goes on."""
    folder = FolderAnchor(tmp_path / "anchors")
    async with sealing(ledger, folder=folder):
        kept = tmp_path / "anchors" / "checkpoints.jsonl"
        await until(lambda: kept.is_file() and f"{DEPLOYMENT}/audit/1\\n2\\n" in kept.read_text())
    last = "(SELECT record_id FROM audit.leaf WHERE idx = 1)"
    await ledger.tamper(
        *(
            f"DELETE FROM audit.{table} WHERE record_id = {last}"  # noqa: S608
            for table in ("citation", "content")
        ),
        f"DELETE FROM audit.record WHERE id = {last}",  # noqa: S608
        "DELETE FROM audit.leaf",
        "DELETE FROM audit.checkpoint",
    )
    with pytest.raises(IntegrityError):
        async with sealing(ledger, folder=folder):
            pass
    hidden = tmp_path / "hidden"
    (tmp_path / "anchors").rename(hidden)
    (tmp_path / "anchors").write_text("not mounted")

    async def come_back_late() -> None:
        async with sealing(ledger, folder=folder) as (_, meter):
            await until(lambda: "citebound_sealed_records 1.0" in meter.text())
            (tmp_path / "anchors").unlink()
            hidden.rename(tmp_path / "anchors")
            await asyncio.sleep(20)

    with pytest.raises(ExceptionGroup) as raised:
        await come_back_late()
    assert raised.group_contains(IntegrityError)
