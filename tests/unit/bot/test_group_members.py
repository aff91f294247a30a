"""Who belongs to a group of the platform, and for how long that is believed."""

import asyncio

import pytest

from bot.audience import group_members
from bot.audience.group_members import GroupMembers, Memberships, Person
from bot.audience_config import AudienceConfig, Guests
from core.domain.delivery import GROUPS_UNREAD
from core.domain.errors import BusyError, TransientError

RIGHTS = AudienceConfig(
    groups={"finance": frozenset({"U1"}), "board": frozenset({"U9"})},
    directory={"finance": frozenset({"S1", "S2"}), "legal": frozenset({"S2"})},
)


class Source:
    """Groups of a platform that can be slow, and can fail."""

    def __init__(self) -> None:
        self.lists = {"S1": {"U2"}, "S2": {"U3"}}
        self.asked: list[str] = []
        self.fails: TransientError | None = None
        self.waits = asyncio.Event()
        self.waits.set()

    async def members(self, group: str, /) -> frozenset[str]:
        """Return them."""
        self.asked.append(group)
        await self.waits.wait()
        if self.fails is not None:
            raise self.fails
        return frozenset(self.lists[group])


class Ticks:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.now_s = 0.0

    def __call__(self) -> float:
        return self.now_s


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Ticks:
    """The clock by which lists grow old."""
    ticks = Ticks()
    monkeypatch.setattr(group_members, "monotonic", ticks)
    return ticks


def employee(one: str) -> Person:
    return Person(ids=(one,), kind="employee")


def guest(one: str) -> Person:
    return Person(ids=(one,), kind="guest")


async def test_people_of_the_file_and_of_the_platform_belong(clock: Ticks) -> None:
    """To each group that either names."""
    lists = await GroupMembers(RIGHTS, Source(), named="group").now()
    told = {one: set(lists.of(employee(one))) for one in ("U1", "U2", "U3", "U4", "U9")}
    assert told == {
        "U1": {"finance"},
        "U2": {"finance"},
        "U3": {"finance", "legal"},
        "U4": set(),
        "U9": {"board"},
    }
    assert lists.unread == frozenset()


async def test_lists_are_read_anew_in_time(clock: Ticks) -> None:
    """Those of a press are used as long as they may be, those of a question half as long."""
    source = Source()
    members = GroupMembers(RIGHTS, source, named="group")
    for at_s, is_hurried, reads in (
        (0.0, True, 2),
        (299.0, False, 0),
        (301.0, True, 0),
        (301.0, False, 2),
        (301.0 + 899.0, True, 0),
        (301.0 + 901.0, True, 2),
    ):
        clock.now_s, before = at_s, len(source.asked)
        await members.now(is_hurried=is_hurried)
        assert len(source.asked) - before == reads, at_s


async def test_what_cannot_be_read_for_too_long_counts_for_nobody(clock: Ticks) -> None:
    """Until then what is known counts; the file counts always."""
    source = Source()
    members = GroupMembers(RIGHTS, source, named="group")
    await members.now()
    source.fails = TransientError("broken")
    clock.now_s = 899.0
    lists = await members.now()
    assert lists.of(employee("U2")) == {"finance"}
    assert lists.unread == frozenset()
    clock.now_s = 901.0
    lists = await members.now()
    assert lists.of(employee("U1")) == {"finance"}
    assert lists.of(employee("U2")) == frozenset()
    assert lists.unread == {"finance", "legal"}
    source.fails = None
    clock.now_s = 930.0
    assert (await members.now()).of(employee("U2")) == {"finance"}


async def test_the_platform_is_left_alone_as_long_as_it_asks(clock: Ticks) -> None:
    """Nobody waits meanwhile."""
    source = Source()
    source.fails = BusyError("wait", after_s=60.0)
    members = GroupMembers(RIGHTS, source, named="group")
    for at_s, reads in ((0.0, 2), (59.0, 2), (61.0, 4)):
        clock.now_s = at_s
        await members.now()
        assert len(source.asked) == reads


async def test_one_reads_while_others_go_on_with_what_is_known(clock: Ticks) -> None:
    """And nobody reads twice what somebody reads already."""
    source = Source()
    members = GroupMembers(RIGHTS, source, named="group")
    await members.now()
    clock.now_s = 400.0
    source.waits.clear()
    async with asyncio.TaskGroup() as group:
        reading = group.create_task(members.now())
        for _ in range(20):
            await asyncio.sleep(0)
        others = [await members.now() for _ in range(5)]
        assert not reading.done()
        source.waits.set()
    assert all(one.of(employee("U2")) == {"finance"} for one in others)
    assert len(source.asked) == 4


def test_guests_are_admitted_by_kind_and_group() -> None:
    """By no group if its members can't be told; bots may read and never ask."""
    rule = Guests(kinds=frozenset({"guest"}), groups=frozenset({"vendors"}))
    lists = Memberships(groups={"vendors": frozenset({"G1"})}, guests=rule)
    assert lists.admits(guest("G1"))
    assert not lists.admits(guest("G2"))
    assert not lists.admits(Person(ids=("G1",), kind="single_channel_guest"))
    for kind in ("outsider", "unknown", "bot"):
        assert not lists.admits(Person(ids=("G1",), kind=kind))
    assert lists.lets_read(Person(ids=("B",), kind="bot"))
    assert lists.turned_away(guest("G2")).reason == "guest"
    blind = Memberships(groups={}, unread=frozenset({"vendors"}), guests=rule)
    assert not blind.admits(guest("G1"))
    assert blind.turned_away(guest("G1")).reason == GROUPS_UNREAD


def test_a_place_has_the_groups_of_all_who_read_it() -> None:
    """What a channel grants holds for its employees; what guests count as, for guests."""
    rule = Guests(kinds=frozenset({"guest"}), count_as=frozenset({"vendors"}))
    groups = {"finance": frozenset({"U1", "U2", "G1"}), "vendors": frozenset({"U1"})}
    lists = Memberships(groups=groups, guests=rule)
    none = frozenset[str]()
    both = {"own": frozenset({"finance", "vendors"}), "granted": none}
    assert lists.shared([employee("U1"), employee("U2")], **both) == {"finance"}
    assert lists.shared([employee("U1"), guest("G2")], **both) == {"vendors"}
    assert lists.shared([employee("U1"), guest("G1")], **both) == {"finance", "vendors"}
    bot = Person(ids=("B",), kind="bot")
    assert lists.shared([employee("U1"), bot], **both) == none
    granted = {"own": none, "granted": frozenset({"finance"})}
    assert lists.shared([employee("U7"), bot], **granted) == {"finance"}
    assert lists.shared([employee("U7"), guest("G2")], **granted) == none
    assert lists.shared([employee("U7"), guest("G1")], **granted) == {"finance"}
