"""A checkpoint in the officers' channel, with the rights of the sealing process."""

from typing import Any
from uuid import NAMESPACE_URL, uuid5

import pytest
from sqlalchemy import text

from bot.replies.context import RenderContext
from bot.slack.blocks.render import render as slack
from bot.teams.cards.render import render as teams
from core.adapters.postgres.engine.database import engine_for
from core.adapters.postgres.engine.ledger import Ledger
from core.adapters.postgres.engine.roles import DatabaseRole
from core.adapters.postgres.queue.replies import reply_of
from core.adapters.postgres.record.receipts import ChannelAnchor
from core.adapters.system import SystemClock, UuidSource
from core.audit.checkpoint import checkpoint_of, opened
from core.domain.delivery import StoredReply
from core.domain.officers import Account, Officer, Officers
from tests.databases import as_role
from tests.integration.record.sealing import SealedLedger

CONVERSATION = uuid5(NAMESPACE_URL, "conversation")
ADA = Officer(
    login="ada", name="Ada", accounts=(Account(platform="slack", tenant="T1", person="U7"),)
)
OFFICERS = Officers(all=(ADA,), channel=Account(platform="slack", tenant="T1", person="C7"))


@pytest.fixture
async def posted(sealed: SealedLedger, database_url: str) -> StoredReply:
    """What was queued for the officers' channel by the sealing process."""
    sequencer = engine_for(as_role(database_url, DatabaseRole.SEQUENCER))
    records = Ledger(clock=SystemClock(), ids=UuidSource(), unit="berlin")
    try:
        anchor = ChannelAnchor(sequencer, officers=OFFICERS, ledger=records)
        assert await anchor.newest() is None
        await anchor.publish(sealed.notes[-1])
        assert await anchor.newest() == sealed.notes[-1]
    finally:
        await sequencer.dispose()
    async with sealed.engine.connect() as connection:
        rows = await connection.execute(
            text("SELECT reply, person, mode, channel FROM citebound.outbox AS o"
                 " JOIN citebound.conversations AS c ON c.id = o.conversation_id")
        )  # fmt: skip
        (row,) = rows.all()
    assert (row.person, row.mode, row.channel) == ("U7", "channel", "C7")
    return reply_of(row.reply)


async def test_the_channel_gets_the_note_as_it_was_signed(
    sealed: SealedLedger, posted: StoredReply
) -> None:
    """Copied from the post, it is what a verification compares; its record is sealed, too."""
    assert posted.checkpoint == sealed.notes[-1]
    message = slack(posted, 0, outbox_id=1, context=RenderContext())
    (block,) = (one for one in message.blocks if one["type"] == "rich_text")
    elements: Any = block["elements"]
    note = str(elements[0]["elements"][0]["text"])
    assert opened(f"{note}\n", sealed.keys).checkpoint == checkpoint_of(sealed.notes[-1])
    for shape in range(4):
        written = str(teams(posted, shape, context=RenderContext()).activity["text"])
        assert note in written
    await sealed.seal(until=8)
    assert (await sealed.verify()).result == "intact"
    copied = await sealed.verify(anchored=[f"{note}\n"])
    assert (copied.result, copied.anchors) == ("intact", 1)


def test_a_note_that_was_tampered_with_ends_no_block_of_code() -> None:
    hostile = StoredReply(checkpoint="```\n<!channel> [x](http://evil)\n```", notice=None)
    for shape in range(5):
        activity = teams(hostile, shape, context=RenderContext()).activity
        has_code = activity["textFormat"] == "markdown"
        assert str(activity["text"]).count("```") == (2 if has_code else 0)
