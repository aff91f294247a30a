"""Checkpoints outside the database: a bucket under Object Lock, a timestamp authority, folders."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen
from uuid import NAMESPACE_URL, uuid5

import boto3
import pytest
from moto.server import ThreadedMotoServer
from rfc3161_client import TimestampRequestBuilder
from sqlalchemy.ext.asyncio import AsyncEngine

from core.adapters.anchors.folder import FolderAnchor
from core.adapters.anchors.s3 import S3Anchor
from core.adapters.anchors.timestamps import TimestampAnchor, read_roots, stamped_at
from core.adapters.postgres.engine.ledger import Ledger
from core.adapters.postgres.record.receipts import PostgresReceipts
from core.adapters.postgres.record.verification import PostgresVerifier, VerificationBasis
from core.adapters.system import SystemClock, UuidSource
from core.audit.anchors import ReadableAnchor
from core.audit.checkpoint import Checkpoint, LedgerKey, checkpoint_of
from core.audit.verification import ProblemClass, Verification
from core.domain.errors import ConfigError, ContractError, TransientError
from tests.integration.record.sealing import DEPLOYMENT, SealedLedger
from tests.integration.record.timestamps import Authority

KEY = LedgerKey.generate(DEPLOYMENT)
CONVERSATION = uuid5(NAMESPACE_URL, "conversation")


def note(size: int, *, generation: int = 1) -> str:
    """Return a signed checkpoint."""
    origin = f"{DEPLOYMENT}/audit/{generation}"
    return KEY.sign(Checkpoint(origin=origin, size=size, root=bytes(32)), at=1_790_000_000 + size)


@pytest.fixture
def bucket(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """A bucket with Object Lock on a local server; yields a client of it."""
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    urlopen(Request(f"http://{host}:{port}/moto-api/reset", method="POST")).close()
    monkeypatch.setenv("AWS_ENDPOINT_URL_S3", f"http://{host}:{port}")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "test")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "test")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    client: Any = boto3.client("s3")  # pyright: ignore[reportUnknownVariableType]
    client.create_bucket(Bucket="locked", ObjectLockEnabledForBucket=True)
    client.create_bucket(Bucket="open")
    try:
        yield client
    finally:
        server.stop()


def s3(bucket: str = "locked", *, days: int = 30) -> S3Anchor:
    return S3Anchor(bucket, "ours/ledger", days, SystemClock())


@pytest.mark.parametrize("kind", ["folder", "s3"])
async def test_an_anchor_hands_out_what_it_was_given(
    kind: str, bucket: Any, tmp_path: Path
) -> None:
    anchor: ReadableAnchor = s3() if kind == "s3" else FolderAnchor(tmp_path / "anchors")
    assert (await anchor.newest(), await anchor.notes(), await anchor.signers()) == (None, [], [])
    for size in (3, 20, 100):
        await anchor.publish(note(size))
    await anchor.publish(note(7, generation=2))
    newest = await anchor.newest()
    assert newest is not None
    assert checkpoint_of(newest).position == (2, 7)
    assert len(await anchor.notes()) == 4
    await anchor.keep_key(KEY.public)
    await anchor.keep_key(KEY.public)
    assert await anchor.signers() == [KEY.public]
    await anchor.keep_key(KEY.public.retired((1, 100)))
    assert await anchor.signers() == [KEY.public.retired((1, 100))]


async def test_a_note_in_a_bucket_is_locked_in_compliance_mode(bucket: Any) -> None:
    """Not even whoever has every right may remove it before its day."""
    await s3().publish(note(3))
    (key,) = (one["Key"] for one in bucket.list_objects_v2(Bucket="locked")["Contents"])
    head = bucket.head_object(Bucket="locked", Key=key)
    assert head["ObjectLockMode"] == "COMPLIANCE"
    left = head["ObjectLockRetainUntilDate"] - datetime.now(UTC)  # noqa: TID251  # the server's
    assert timedelta(days=29) < left <= timedelta(days=30)
    with pytest.raises(Exception, match="AccessDenied"):
        bucket.delete_object(Bucket="locked", Key=key, VersionId=head["VersionId"])


async def test_what_is_hidden_in_a_bucket_is_read_all_the_same(bucket: Any) -> None:
    """By a marker that it was deleted, or by a later version of it."""
    anchor = s3()
    await anchor.publish(note(3))
    await anchor.publish(note(9))
    first, second = (one["Key"] for one in bucket.list_objects_v2(Bucket="locked")["Contents"])
    bucket.delete_object(Bucket="locked", Key=first)
    bucket.put_object(Bucket="locked", Key=second, Body=note(3).encode())
    assert set(await anchor.notes()) == {note(3), note(9)}


async def test_a_bucket_that_can_not_keep_notes_is_refused(
    bucket: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(ConfigError, match="Object Lock"):
        await s3("open").publish(note(3))
    with pytest.raises(ConfigError, match="NoSuchBucket"):
        await s3("absent").publish(note(3))
    monkeypatch.setenv("AWS_ENDPOINT_URL_S3", "http://127.0.0.1:9")
    with pytest.raises(TransientError, match="can't be reached"):
        await s3().publish(note(3))


@pytest.fixture
def authority(tmp_path: Path) -> Authority:
    return Authority(tmp_path / "authority")


def receipts(engine: AsyncEngine) -> PostgresReceipts:
    ledger = Ledger(clock=SystemClock(), ids=UuidSource(), unit="berlin")
    return PostgresReceipts(engine, ledger=ledger)


async def stamped(ledger: SealedLedger, authority: Authority, **words: Any) -> TimestampAnchor:
    """Let the authority stamp the newest checkpoint, and seal the receipt."""
    async with authority.served() as url:
        anchor = TimestampAnchor(url, read_roots(authority.roots), receipts(ledger.engine))
        await anchor.publish(ledger.notes[-1], **words)
    await ledger.seal(until=checkpoint_of(ledger.notes[-1]).size + 1)
    return anchor


async def verify(ledger: SealedLedger, authority: Authority | None) -> Verification:
    roots = read_roots(authority.roots) if authority else ()
    basis = VerificationBasis(
        keys=ledger.keys,
        anchored=ledger.notes,
        stamped_at=(lambda token, text: stamped_at(token, text, roots)) if authority else None,
    )
    return await PostgresVerifier(ledger.engine, deployment=DEPLOYMENT).verify(basis)


@pytest.fixture
async def sealed(engine: AsyncEngine) -> SealedLedger:
    ledger = SealedLedger(engine)
    await ledger.append(3, conversation=CONVERSATION)
    await ledger.seal(until=3)
    return ledger


async def test_a_checkpoint_is_stamped_and_checked_again_without_a_network(
    sealed: SealedLedger, authority: Authority, tmp_path: Path
) -> None:
    first = sealed.notes[-1]
    anchor = await stamped(sealed, authority)
    assert await anchor.newest() == first
    found = await verify(sealed, authority)
    assert (found.result, found.timestamps, found.problems) == ("intact", 1, [])
    unchecked = await verify(sealed, None)
    assert (unchecked.result, unchecked.timestamps) == ("intact", 0)
    assert "1 timestamps were not checked" in " ".join(unchecked.warnings)
    stranger = await verify(sealed, Authority(tmp_path / "stranger"))
    assert [one.kind for one in stranger.problems] == [ProblemClass.TIMESTAMP_INVALID]


async def test_a_stamped_checkpoint_can_not_go(sealed: SealedLedger, authority: Authority) -> None:
    await stamped(sealed, authority)
    await sealed.tamper("DELETE FROM audit.checkpoint WHERE size = 3")
    kinds = {one.kind for one in (await verify(sealed, authority)).problems}
    assert ProblemClass.CHECKPOINT_MISSING in kinds


async def test_a_checkpoint_made_anew_has_no_timestamp(
    sealed: SealedLedger, authority: Authority
) -> None:
    """Whoever has stolen the key signs what he likes, but not on a day that is over."""
    await stamped(sealed, authority)
    checkpoint = checkpoint_of(sealed.notes[0])
    dated_back = sealed.key.sign(checkpoint, at=1_790_000_000)
    await sealed.tamper(
        "UPDATE audit.checkpoint SET note = %(note)s WHERE size = 3", note=dated_back
    )
    kinds = {one.kind for one in (await verify(sealed, authority)).problems}
    assert ProblemClass.TIMESTAMP_INVALID in kinds


async def test_a_checkpoint_that_claims_to_be_younger_than_its_timestamp_is_found(
    sealed: SealedLedger, authority: Authority
) -> None:
    later = int(SystemClock().now().timestamp()) + 3_600
    sealed.notes = [sealed.key.sign(checkpoint_of(sealed.notes[-1]), at=later)]
    await sealed.tamper(
        "UPDATE audit.checkpoint SET note = %(note)s WHERE size = 3", note=sealed.notes[0]
    )
    async with authority.served() as url:  # the sequencer signs nothing after it
        anchor = TimestampAnchor(url, read_roots(authority.roots), receipts(sealed.engine))
        await anchor.publish(sealed.notes[-1])
    problems = (await verify(sealed, authority)).problems
    assert "dated after its timestamp" in " ".join(one.detail for one in problems)


async def test_an_authority_that_answers_something_else_is_refused(
    sealed: SealedLedger, authority: Authority, tmp_path: Path
) -> None:
    """Another's token, one for another text, an old one with another nonce, no token at all."""
    roots = read_roots(authority.roots)
    anchor = TimestampAnchor("http://unused", roots, receipts(sealed.engine))
    stranger = Authority(tmp_path / "stranger")
    wrong = [
        stranger.answer(query(sealed.notes[-1])),
        authority.answer(query("other")),
        authority.answer(query(sealed.notes[-1])),
    ]
    wrong += [b"", b"\x30\x03\x02\x01\x02", wrong[0][:-1], b"x" * 70_000]
    async with authority.served() as url:
        for answer in wrong:
            authority.answers = [answer]
            with pytest.raises(ContractError):
                await TimestampAnchor(url, roots, anchor.receipts).publish(sealed.notes[-1])
        authority.status = 503
        with pytest.raises(TransientError, match="503"):
            await TimestampAnchor(url, roots, anchor.receipts).publish(sealed.notes[-1])
    with pytest.raises(TransientError, match="can't be reached"):
        await TimestampAnchor(url, roots, anchor.receipts).publish(sealed.notes[-1])
    assert await anchor.receipts.newest(anchor.name) is None


def query(text: str) -> bytes:
    return TimestampRequestBuilder().data(text.encode()).build().as_bytes()


def test_what_holds_no_certificates_is_refused(tmp_path: Path) -> None:
    (tmp_path / "none.pem").write_text("none")
    for name in ("none.pem", "absent.pem"):
        with pytest.raises(ConfigError, match="CITEBOUND_LEDGER_TSA_ROOTS"):
            read_roots(tmp_path / name)
