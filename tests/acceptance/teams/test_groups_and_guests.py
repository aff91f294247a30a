"""Groups that Entra keeps, read from Microsoft Graph, and guests by the deployment's own rule."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from uuid import NAMESPACE_DNS, uuid5

import pytest

from bot.audience import group_members
from tests.acceptance.slack import treasury
from tests.acceptance.teams.test_pressing import NOT_READABLE, QUESTION, dialog, fetch, id_of, shown
from tests.servers.slack.faults import status, too_many
from tests.servers.teams import FakeTeams, Message, Person
from tests.servers.teams.graph import Group
from tests.servers.teams.openid import OpenId
from tests.servers.teams.tenant import OTHER
from tests.teams_product import Product, product

POLICY = "Gifts and Hospitality Policy"
PRIVATELY = "Please ask me in a direct message"
STAFF_ALONE = "company's staff"
UNREAD = "group membership"
FINANCE, CONTRACT = str(uuid5(NAMESPACE_DNS, "finance")), str(uuid5(NAMESPACE_DNS, "contract"))
INNER = str(uuid5(NAMESPACE_DNS, "inner"))
BY_ENTRA = f'[entra_groups]\nfinance = ["{FINANCE.upper()}"]\n'
GUESTS = f'[entra_groups]\ncontractors = ["{CONTRACT}"]\n[guests]\nmay_ask = true\n'


@asynccontextmanager
async def served_with(
    teams: FakeTeams, microsoft: OpenId, database: str, folder: Path, config: str
) -> AsyncGenerator[Product]:
    """Serve with this file, and with a policy for Finance."""
    await treasury.publish(database)
    file = folder / "teams.toml"
    file.write_text(config)
    async with product(
        teams, microsoft, database, teams_config=file, replies_per_conversation=100
    ) as running:
        yield running


async def told(running: Product, person: Person, question: str = treasury.QUESTION) -> Message:
    """Return the only reply to a question that somebody asks in their own chat."""
    own = running.teams.tenant.personal(person)
    said = await running.teams.people.say(person, own, question)
    return await running.answer_to(said.message)


@pytest.fixture
def again(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """Lists are read anew for each question."""
    monkeypatch.setattr(group_members, "FRESH_S", 0.0)
    monkeypatch.setattr(group_members, "RETRY_S", 0.0)
    return monkeypatch


async def test_a_group_of_entra_says_who_may_read(
    teams: FakeTeams, microsoft: OpenId, policies_database: str, tmp_path: Path
) -> None:
    """Page by page, with the groups within it; of a chat those that all its people have."""
    anna, finn, faye = map(teams.tenant.person, ("anna", "finn", "faye"))
    teams.graph.page = 1
    teams.graph.groups[INNER] = Group(users=[finn.aad], groups=[FINANCE])
    teams.graph.groups[FINANCE] = Group(
        users=[faye.aad], groups=[INNER], devices=[anna.aad.replace("-", "0")]
    )
    both = teams.tenant.group_chat("both", finn, faye)
    mixed = teams.tenant.group_chat("mixed", finn, anna)
    async with served_with(teams, microsoft, policies_database, tmp_path, BY_ENTRA) as running:
        assert treasury.SAYS in shown(await told(running, finn))
        assert treasury.SAYS not in shown(await told(running, anna))
        for chat, may_read in ((both, True), (mixed, False)):
            said = await teams.people.mention(finn, chat, treasury.QUESTION)
            assert (treasury.SAYS in shown(await running.answer_to(said.message))) is may_read
    calls = teams.journal.of("graph")
    assert [one.outcome for one in calls] == ["ok"] * 4
    assert all(one.args["$select"] == "id,accountEnabled" for one in calls)


async def test_revoked_and_switched_off_accounts_read_no_more(
    teams: FakeTeams,
    microsoft: OpenId,
    policies_database: str,
    tmp_path: Path,
    again: pytest.MonkeyPatch,
) -> None:
    """Once the group is read anew; that an account is off only where users may be read."""
    finn = teams.tenant.person("finn")
    group = teams.graph.groups[FINANCE] = Group(users=[finn.aad])
    async with served_with(teams, microsoft, policies_database, tmp_path, BY_ENTRA) as running:
        teams.graph.switched_off.add(finn.aad)
        assert treasury.SAYS in shown(await told(running, finn))
        teams.graph.may_read_users = True
        assert treasury.SAYS not in shown(await told(running, finn))
        teams.graph.switched_off.clear()
        assert treasury.SAYS in shown(await told(running, finn))
        group.users.clear()
        assert treasury.SAYS not in shown(await told(running, finn))
        group.users.append(finn.aad)
        assert treasury.SAYS in shown(await told(running, finn))
        del teams.graph.groups[FINANCE]
        assert treasury.SAYS not in shown(await told(running, finn))


async def test_what_graph_does_not_tell_counts_for_nobody(
    teams: FakeTeams,
    microsoft: OpenId,
    policies_database: str,
    tmp_path: Path,
    again: pytest.MonkeyPatch,
) -> None:
    """A token that has ended is renewed; what is known holds for a while, and then it is said."""
    finn = teams.tenant.person("finn")
    teams.graph.groups[FINANCE] = Group(users=[finn.aad])
    async with served_with(teams, microsoft, policies_database, tmp_path, BY_ENTRA) as running:
        assert treasury.SAYS in shown(await told(running, finn))
        teams.login.revoke_all()
        assert treasury.SAYS in shown(await told(running, finn))
        assert "InvalidAuthenticationToken" in [one.outcome for one in teams.journal.of("graph")]
        teams.faults.always("graph", too_many(1))
        kept = shown(await told(running, finn))
        assert treasury.SAYS in kept
        assert UNREAD not in kept
        again.setattr(group_members, "OLDEST_S", 0.0)
        for fault in (too_many(1), status(503), status(302)):
            teams.faults.always("graph", fault)
            assert UNREAD in shown(await told(running, finn))
        teams.faults.heal()
        teams.graph.is_consented = False
        reply = shown(await told(running, finn))
        assert UNREAD in reply
        assert treasury.SAYS not in reply


async def test_the_token_goes_to_graph_alone(
    teams: FakeTeams,
    microsoft: OpenId,
    policies_database: str,
    tmp_path: Path,
    again: pytest.MonkeyPatch,
) -> None:
    """A next page on another host is not followed, and what was read until then is not used."""
    finn = teams.tenant.person("finn")
    teams.graph.page, teams.graph.next_host = 1, "http://localhost:1"
    teams.graph.groups[FINANCE] = Group(users=[finn.aad, "x"])
    async with served_with(teams, microsoft, policies_database, tmp_path, BY_ENTRA) as running:
        reply = shown(await told(running, finn))
        assert treasury.SAYS not in reply
        assert UNREAD in reply


async def test_guests_of_the_tenant_may_ask_where_the_file_says_so(
    teams: FakeTeams, microsoft: OpenId, policies_database: str, tmp_path: Path
) -> None:
    """Those of the group; who is of another company, external or anonymous may not, ever."""
    anna = teams.tenant.person("anna")
    carl = teams.tenant.person("carl", user_role="guest")
    gus = teams.tenant.person("gus", user_role="guest")
    others = (
        teams.tenant.person("eve", tenant_id=OTHER),
        teams.tenant.person("fred", user_role="anonymous"),
        teams.tenant.person("xena", user_role="external"),
        teams.tenant.person("max", tenant_id=OTHER, user_role="guest"),
    )
    teams.graph.groups[CONTRACT] = Group(users=[one.aad for one in (carl, *others)])
    config = f'{GUESTS}groups = ["contractors"]\n'
    async with served_with(teams, microsoft, policies_database, tmp_path, config) as running:
        answer = await told(running, carl, QUESTION)
        assert POLICY in shown(answer)
        assert "EUR 75" in dialog(await fetch(teams, carl, answer, "evidence", id_of(answer)))
        for person in (gus, *others):
            reply = await told(running, person, QUESTION)
            assert STAFF_ALONE in shown(reply), person.name
            assert POLICY not in shown(reply), person.name
            assert "Ask Compliance" not in shown(reply), person.name
        for more, is_answered in (([], True), ([gus], False), ([others[0]], False)):
            room = teams.tenant.group_chat(f"room-{len(more)}{is_answered}", anna, carl, *more)
            said = await teams.people.mention(anna, room, QUESTION)
            reply = await running.answer_to(said.message)
            assert (POLICY in shown(reply)) is is_answered
            assert (PRIVATELY in shown(reply)) is not is_answered
            if is_answered:
                pressed = await fetch(teams, gus, reply, "evidence", id_of(reply))
                assert NOT_READABLE in dialog(pressed)


async def test_a_guest_counts_for_what_a_chat_may_read(
    teams: FakeTeams, microsoft: OpenId, policies_database: str, tmp_path: Path
) -> None:
    """The file makes no guest of a group by the channel they are in."""
    finn = teams.tenant.person("finn")
    carl = teams.tenant.person("carl", user_role="guest")
    teams.graph.groups |= {FINANCE: Group(users=[finn.aad]), CONTRACT: Group(users=[carl.aad])}
    room = teams.tenant.group_chat("room", finn, carl)
    config = f'{GUESTS}[channels."{room.id}"]\naudience = ["finance"]\n'.replace(
        "[entra_groups]", f'[entra_groups]\nfinance = ["{FINANCE}"]'
    )
    async with served_with(teams, microsoft, policies_database, tmp_path, config) as running:
        for person in (finn, carl):
            said = await teams.people.mention(person, room, treasury.QUESTION)
            assert treasury.SAYS not in shown(await running.answer_to(said.message))
        assert treasury.SAYS in shown(await told(running, finn))


async def test_a_group_of_thousands_is_read_once(
    teams: FakeTeams, microsoft: OpenId, policies_database: str, tmp_path: Path
) -> None:
    """20,000 members are 21 pages, for all who ask within some minutes."""
    finn = teams.tenant.person("finn")
    people = [str(uuid5(NAMESPACE_DNS, f"p{number}")) for number in range(20_000)]
    teams.graph.groups[FINANCE] = Group(users=[*people, finn.aad])
    async with served_with(teams, microsoft, policies_database, tmp_path, BY_ENTRA) as running:
        for _ in range(3):
            assert treasury.SAYS in shown(await told(running, finn))
    assert len(teams.journal.of("graph")) == 21
