"""Channels that must be private: those with an audience of their own, and the officers' channel."""

import logging
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.slack.outbound import audience
from core.domain.errors import ConfigError
from tests.acceptance.slack.office import QUESTION, Office, office, shown
from tests.servers.slack import FakeSlack
from tests.servers.slack.faults import error, lost
from tests.slack_product import product

NOTE = "From Acme, at Easter"
VAULT = '[channels.C0VAULT]\naudience = ["finance"]\n'


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    """A file that gives a channel an audience."""
    path = tmp_path / "slack.toml"
    path.write_text(VAULT)
    return path


@pytest.fixture
async def bureau(
    slack: FakeSlack, slack_database: str, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Office]:
    """The product, with officers; who is where is read before each post, however soon."""
    monkeypatch.setattr(audience, "_AGAIN", audience._Kept(room_s=0.0, person_s=0.0))  # pyright: ignore[reportPrivateUsage]
    async with office(slack, slack_database) as running:
        yield running


async def test_a_public_channel_with_an_audience_is_refused_at_start(
    slack: FakeSlack, slack_database: str, vault: Path
) -> None:
    """In one line, with the cure; private, it starts."""
    room = slack.workspace.channel("vault", slack.workspace.user("finn"))
    with pytest.raises(ConfigError, match=r"channels\.C0VAULT\.audience.*public.*make it private"):
        async with product(slack, slack_database, config=vault):
            pass
    room.kind = "group"
    async with product(slack, slack_database, config=vault):
        pass


@pytest.mark.parametrize("why", ["not there", "lost", "refused"])
async def test_a_channel_of_which_slack_says_nothing_is_a_warning(
    slack: FakeSlack, slack_database: str, vault: Path, why: str, caplog: pytest.LogCaptureFixture
) -> None:
    """The process starts: what its audience is, is decided before each answer."""
    if why != "not there":
        fault = lost() if why == "lost" else error("internal_error")
        slack.faults.always("conversations.info", fault)
    async with product(slack, slack_database, config=vault):
        pass
    told = [one.getMessage() for one in caplog.records if "channel C0VAULT" in one.getMessage()]
    assert len(told) == 1
    assert ("does not show it" in told[0]) is (why == "not there")


async def opened(bureau: Office) -> None:
    """Let Anna hand a question to Compliance."""
    values = {"note": {"value": NOTE}}
    await bureau.sent(await bureau.answered(), **values)
    await bureau.served.quiet()


def on_desk(bureau: Office) -> list[str]:
    """Return all that the app shows in the officers' channel."""
    found = [one for one in bureau.slack.checks.by_app() if one.channel == bureau.desk.id]
    return [shown(one) for one in found]


@pytest.mark.parametrize("change", ["public", "shared", "pending", "guest", "unknown"])
async def test_a_card_goes_to_an_officer_where_others_read_the_channel(
    bureau: Office, change: str, caplog: pytest.LogCaptureFixture
) -> None:
    """However the channel was when the process started; an alarm says so."""
    desk, slack = bureau.desk, bureau.slack
    match change:
        case "public":
            desk.kind = "channel"
        case "shared":
            desk.is_ext_shared = True
        case "pending":
            desk.is_pending_ext_shared = True
        case "guest":
            desk.members.append(slack.workspace.user("gus", is_restricted=True).id)
        case _:
            desk.members.remove(slack.workspace.app.bot_user)
    await opened(bureau)
    assert on_desk(bureau) == []
    (card,) = bureau.cards(slack.workspace.direct(bureau.olga))
    assert NOTE in shown(card)
    assert [one for one in caplog.messages if "must not stand in CITEBOUND_CASE_CHANNEL" in one]


async def test_a_card_is_rewritten_where_its_officer_reads_it(bureau: Office) -> None:
    """The channel became public meanwhile: it shows no more than before, the officer a new card."""
    await opened(bureau)
    (card,) = bureau.cards()
    before = shown(card)
    bureau.desk.kind = "channel"
    await bureau.slack.presses.click(bureau.oskar, card, "case_claim")
    await bureau.served.quiet()
    assert shown(card) == before
    (direct,) = bureau.cards(bureau.slack.workspace.direct(bureau.olga))
    assert "claimed by Oskar O." in shown(direct)


@pytest.mark.parametrize("kind", ["channel", "group"])
async def test_a_start_says_who_reads_the_officers_channel(
    slack: FakeSlack, slack_database: str, kind: str, caplog: pytest.LogCaptureFixture
) -> None:
    """A public channel is an alarm; a member who is no officer a warning."""
    caplog.set_level(logging.WARNING)
    async with office(slack, slack_database, desk_kind=kind):
        pass
    told = [one for one in caplog.records if "CITEBOUND_CASE_CHANNEL" in one.getMessage()]
    (record,) = told
    if kind == "channel":
        assert record.levelno == logging.ERROR
        assert "is not private (public)" in record.getMessage()
    else:
        assert record.levelno == logging.WARNING
        assert "1 of its members are no officers: U0BEN" in record.getMessage()


async def test_an_ordinary_case_reaches_a_private_channel(bureau: Office) -> None:
    """What the other tests would hide if nothing ever did."""
    await opened(bureau)
    (card,) = bureau.cards()
    assert NOTE in shown(card)
    assert QUESTION in shown(card)
