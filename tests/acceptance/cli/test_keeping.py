"""A folder of policies over time: names that clash, kinds that are not read, files that go."""

import asyncio
import dataclasses
import json
import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from sqlalchemy import create_engine, text

from bot.console.commands import ingest
from bot.console.views.terminal import open_terminal
from core.adapters.system import SystemClock
from core.ingest.publish import Ingestor
from core.time_zones import TimeZones

QUESTION = "May employees accept gifts, and up to what value?"
CASH = "# Cash Policy\n\n## 1 Cash\n\n1.1 Employees must not accept cash or vouchers.\n"


@pytest.fixture
def answer(citebound: Callable[..., Any]) -> Callable[..., str]:
    """Ask what gifts may be worth, and return what was said."""

    def run(*words: str) -> str:
        done = citebound("ask", QUESTION, "--json", *words)
        return "" if done.code == 4 else json.loads(done.out)["answer"]

    return run


@pytest.fixture
def countries(policies: Path) -> Path:
    """The same file name for two countries."""
    gifts = (policies / "gifts.md").read_text()
    (policies / "gifts.md").unlink()
    for country, amount in (("de", "EUR 35"), ("uk", "GBP 40")):
        (policies / country).mkdir()
        (policies / country / "gifts.md").write_text(gifts.replace("EUR 50", amount))
    return policies


def test_files_of_one_name_are_refused_by_name(
    citebound: Callable[..., Any], countries: Path
) -> None:
    """Both, with the cure, in a dry run too; nothing is stored. With the cure both are there."""
    for words in ((), ("--dry-run",)):
        done = citebound("ingest", str(countries), "--json", *words)
        assert done.code == 1
        files = json.loads(done.out)["files"]
        assert [each["status"] for each in files] == ["failed", "failed"]
        for each in files:
            assert str(countries / "de" / "gifts.md") in each["reason"]
            assert str(countries / "uk" / "gifts.md") in each["reason"]
            assert "key_prefix" in each["reason"]
    assert citebound("corpus", "list").code == 4
    for country in ("de", "uk"):
        manifest = countries / country / "citebound.toml"
        manifest.write_text(f'key_prefix = "{country}"\n')
    assert citebound("ingest", str(countries)).code == 0
    listed = json.loads(citebound("corpus", "list", "--json").out)
    assert [each["key"] for each in listed] == ["de-gifts", "uk-gifts"]


def test_a_second_folder_does_not_take_a_policy_over(
    citebound: Callable[..., Any], countries: Path, answer: Callable[..., str]
) -> None:
    """Two commands, one folder each: the second names both files, and changes nothing."""
    assert citebound("ingest", str(countries / "de")).code == 0
    for words in ((), ("--dry-run",)):
        done = citebound("ingest", str(countries / "uk"), *words)
        assert done.code == 1
        assert str(countries / "de" / "gifts.md") in done.out.replace("\n", "")
    assert "EUR 35" in answer()
    copied = countries.parent / "copy" / "de"
    copied.parent.mkdir()
    (countries / "de").rename(copied)
    (copied / "gifts.md").write_text((copied / "gifts.md").read_text().replace("35", "36"))
    assert "revised" in citebound("ingest", str(copied)).out
    assert "EUR 36" in answer()


def test_what_is_not_read_is_listed_and_counted(
    citebound: Callable[..., Any], policies: Path
) -> None:
    """With code 1, unless it is ignored; a picture is counted, what is beside anyway is not."""
    (policies / "old.doc").write_bytes(b"\xd0\xcf\x11\xe0")
    (policies / "logo.png").write_bytes(b"\x89PNG")
    (policies / "gone.md").symlink_to(policies / "nowhere.md")
    (policies / ".DS_Store").write_bytes(b"x")
    done = citebound("ingest", str(policies))
    assert done.code == 1
    assert "skipped" in done.out
    assert f"{policies / 'old.doc'}: files named .doc are not read" in done.out
    assert "1 added, 0 revised, 0 unchanged, 0 failed, 2 skipped" in done.out
    assert "1 file of other kinds left out" in " ".join(done.out.split())
    assert "DS_Store" not in done.out
    value = json.loads(citebound("ingest", str(policies), "--json", "--dry-run").out)
    assert [Path(each["file"]).name for each in value["files"] if each["status"] == "skipped"] == [
        "gone.md",
        "old.doc",
    ]
    assert [Path(each).name for each in value["others"]] == ["logo.png"]
    (policies / "citebound.toml").write_text('ignore = ["*.doc", "gone.*"]\n')
    ignored = citebound("ingest", str(policies), "--json")
    assert (ignored.code, json.loads(ignored.out)["skipped"]) == (0, 0)
    assert citebound("ingest", str(policies / "logo.png")).code == 1


def test_nothing_is_no_path(citebound: Callable[..., Any], policies: Path) -> None:
    """An empty word, as of a variable that is not set, does not mean the folder one is in."""
    for words in (("",), (" ",), (str(policies), "")):
        with pytest.raises(SystemExit) as stopped:
            citebound("ingest", *words)
        assert stopped.value.code == 2


def test_a_policy_is_withdrawn_and_comes_back(
    citebound: Callable[..., Any], policies: Path, answer: Callable[..., str]
) -> None:
    """No answer rests on it; an earlier edition's does; the record says why it went."""
    (policies / "cash.md").write_text(CASH)
    citebound("ingest", str(policies))
    assert "EUR 50" in answer()
    done = citebound("corpus", "withdraw", "gifts", "--reason", "we left that market")
    assert done.code == 0
    assert "gifts: Gifts Policy: withdrawn from" in done.out
    assert "EUR 50" not in answer()
    assert "EUR 50" in answer("--as-of", "edition:2")
    shown = citebound("audit", "show", done.out.rpartition("record ")[2].strip()).out
    assert "policy:withdrawn" in shown
    assert "intact" in shown
    again = citebound("ingest", str(policies))
    assert "stays withdrawn: name the file" in again.out
    assert "EUR 50" not in answer()
    for words in (["gifts", "--reason", "x", "--json"], ["presents", "--reason", "x"]):
        refused = citebound("corpus", "withdraw", *words)
        assert (refused.code, refused.err.count("\n")) == (2, 1)
    named = citebound("ingest", str(policies / "gifts.md"))
    assert "and is now back in force" in named.out
    assert "EUR 50" in answer()


def test_a_policy_is_rolled_back(
    citebound: Callable[..., Any], policies: Path, answer: Callable[..., str]
) -> None:
    """The earlier file, ingested again, holds again."""
    gifts = policies / "gifts.md"
    first = gifts.read_text()
    for said, amount in (("added", "EUR 50"), ("revised", "EUR 75"), ("revised", "EUR 50")):
        gifts.write_text(first.replace("EUR 50", amount))
        assert said in citebound("ingest", str(policies)).out
        assert amount in answer()
        assert "unchanged" in citebound("ingest", str(policies)).out


def test_the_last_day_is_a_day_in_force(
    citebound: Callable[..., Any], policies: Path, answer: Callable[..., str]
) -> None:
    """As an option and in a manifest; lists say the same day."""
    today = SystemClock(TimeZones()).today()
    (policies / "citebound.toml").write_text(
        f'[[policy]]\nfile = "gifts.md"\neffective_until = {today}\n'
    )
    assert citebound("ingest", str(policies)).code == 0
    for given in ((), ("--effective-until", str(today))):
        assert citebound("ingest", str(policies / "gifts.md"), *given).code == 0
        assert "EUR 50" in answer()
        (listed,) = json.loads(citebound("corpus", "list", "--json").out)
        assert listed["effective_until"] == str(today)
        assert f"until {today}" in citebound("corpus", "list").out


def test_an_end_in_the_past_is_an_end(
    citebound: Callable[..., Any], policies: Path, answer: Callable[..., str]
) -> None:
    """Nothing is in force then, and it is said."""
    (policies / "cash.md").write_text(CASH)
    citebound("ingest", str(policies))
    ended = citebound("ingest", str(policies / "gifts.md"), "--effective-until", "2025-01-01")
    assert "no version of 'gifts' is in force" in ended.out
    assert "EUR 50" not in answer()


def test_a_narrowed_audience_holds_for_earlier_editions(
    citebound: Callable[..., Any], policies: Path, answer: Callable[..., str]
) -> None:
    """`--as-of` shows what was known, never to more people than today."""
    (policies / "cash.md").write_text(CASH)
    citebound("ingest", str(policies))
    citebound("ingest", str(policies / "gifts.md"), "--audience", "board")
    for words in ((), ("--as-of", "edition:2"), ("--as-of", "2020-01-01")):
        assert "EUR 50" not in answer(*words)
    assert "EUR 50" in answer("--as-of", "edition:2", "--group", "board")


@pytest.fixture
def emptied(citebound: Callable[..., Any], policies: Path) -> Path:
    """A folder that was ingested, and from which a file is gone; others fail or are ignored."""
    for name in ("cash", "broken", "aside"):
        (policies / f"{name}.md").write_text(CASH.replace("Cash", name.title()))
    assert citebound("ingest", str(policies)).code == 0
    (policies / "gifts.md").unlink()
    (policies / "broken.md").write_bytes(b"")
    (policies / "citebound.toml").write_text('ignore = ["aside.*"]\n')
    return policies


def gone(done: Any) -> list[tuple[str, int | None]]:
    return [(each["policy"], each["withdrawn_in"]) for each in json.loads(done.out)["gone"]]


def test_a_file_that_is_gone_is_named(
    citebound: Callable[..., Any], emptied: Path, answer: Callable[..., str]
) -> None:
    """With the command that withdraws it, each time; those that fail or are ignored are there."""
    for words in ((), ("--dry-run",), ()):
        done = citebound("ingest", str(emptied), *words)
        assert done.out.count("gone ") == 1
        assert "citebound corpus withdraw gifts --reason" in done.out
        assert str(emptied / "gifts.md") in done.out
    assert "EUR 50" in answer()
    assert gone(citebound("ingest", str(emptied), "--json")) == [("gifts", None)]
    assert gone(citebound("ingest", str(emptied / "cash.md"), "--json")) == []


def recorded(url: str, tag: str) -> list[dict[str, Any]]:
    """Return what the record says under a tag."""
    engine = create_engine(url)
    with engine.connect() as connection:
        query = text("SELECT doc FROM audit.record WHERE tag = :tag ORDER BY at, id")
        found = list(connection.scalars(query, {"tag": tag}))
    engine.dispose()
    return found


def test_sync_withdraws_what_is_gone(
    citebound: Callable[..., Any], emptied: Path, answer: Callable[..., str], database_url: str
) -> None:
    """Unasked with --yes, and nothing where nobody can be asked; the file brings it back."""
    (emptied / "new.md").write_text(CASH.replace("Cash", "New"))
    for words in (("--sync",), ("--sync", "--json"), ("--yes",)):
        refused = citebound("ingest", str(emptied), *words)
        assert (refused.code, refused.out, refused.err.count("\n")) == (2, "", 1)
    foreseen = citebound("ingest", str(emptied), "--sync", "--dry-run", "--json")
    assert gone(foreseen) == [("gifts", None)]
    keys = [each["key"] for each in json.loads(citebound("corpus", "list", "--json").out)]
    assert keys == ["aside", "broken", "cash", "gifts"]
    assert gone(citebound("ingest", str(emptied), "--sync", "--yes", "--json")) == [("gifts", 6)]
    _, told = recorded(database_url, "corpus:changed")
    became = [(one["policy"], one["became"]) for one in told["policies"]]
    assert became == [("gifts", "withdrawn"), ("new", "added")]
    assert "EUR 50" not in answer()
    assert gone(citebound("ingest", str(emptied), "--sync", "--yes", "--json")) == []
    keys = [each["key"] for each in json.loads(citebound("corpus", "list", "--json").out)]
    assert keys == ["aside", "broken", "cash", "new"]
    (emptied / "gifts.md").write_text(
        "# Gifts Policy\n\n1. Employees may accept gifts up to EUR 50."
    )
    citebound("ingest", str(emptied))
    assert "EUR 50" in answer()


@pytest.mark.parametrize(("said", "is_withdrawn"), [("y\n", True), ("n\n", False), ("", False)])
def test_sync_asks_at_a_terminal(
    citebound: Callable[..., Any],
    emptied: Path,
    monkeypatch: pytest.MonkeyPatch,
    said: str,
    *,
    is_withdrawn: bool,
) -> None:
    """After the list; anything but yes is a no, an end of input too."""
    terminal = open_terminal

    def at_a_terminal() -> Any:
        return dataclasses.replace(terminal(), is_interactive=True)

    monkeypatch.setattr(ingest, "open_terminal", at_a_terminal)
    done = citebound("ingest", str(emptied), "--sync", stdin=said)
    assert "Withdraw this policy from today on? [y/N]" in done.out
    assert done.out.index("gone ") < done.out.index("Withdraw")
    assert ("withdrawn gifts" in done.out) == is_withdrawn
    assert ("nothing was withdrawn" in done.out) != is_withdrawn
    assert ("gifts" in citebound("corpus", "list").out) != is_withdrawn


def test_what_was_published_before_an_interruption_is_told(
    citebound: Callable[..., Any],
    policies: Path,
    database_url: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It is in force, so the record and who must know have it; the next run tells of the rest."""
    for name in ("a", "b", "c"):
        (policies / f"{name}.md").write_text(CASH.replace("Cash", f"Cash {name}"))
    publish = Ingestor.ingest

    async def interrupted(self: Ingestor, data: bytes, **given: Any) -> Any:
        if given["source_name"] == "c.md":
            os.kill(os.getpid(), signal.SIGINT)
            await asyncio.sleep(60)
        return await publish(self, data, **given)

    with monkeypatch.context() as patched:
        patched.setattr(Ingestor, "ingest", interrupted)
        assert citebound("ingest", str(policies)).code == 130
    assert citebound("ingest", str(policies)).code == 0
    told = recorded(database_url, "corpus:changed")
    assert [[one["policy"] for one in each["policies"]] for each in told] == [
        ["a", "b"],
        ["c", "gifts"],
    ]


def test_a_policy_that_became_another_is_named(
    citebound: Callable[..., Any], policies: Path
) -> None:
    """Its file is there, under another key: the first key is no file any more."""
    citebound("ingest", str(policies))
    (policies / "citebound.toml").write_text('key_prefix = "de"\n')
    assert gone(citebound("ingest", str(policies), "--json")) == [("gifts", None)]
    (policies / "gifts.md").rename(policies / "presents.md")
    (policies / "citebound.toml").write_text('[[policy]]\nfile = "presents.md"\nkey = "de-gifts"\n')
    assert gone(citebound("ingest", str(policies), "--json", "--sync", "--yes")) == [("gifts", 3)]
    (listed,) = json.loads(citebound("corpus", "list", "--json").out)
    assert listed["key"] == "de-gifts"


def test_a_day_begins_where_the_deployment_is(
    citebound: Callable[..., Any], policies: Path
) -> None:
    """On both sides of the date line, at one moment: by the clock of either, and by no other."""
    gifts = (policies / "gifts.md").read_text()
    assert citebound("ingest", str(policies)).code == 0
    west, east = "Etc/GMT+12", "Pacific/Kiritimati"
    begins = SystemClock(TimeZones(home=ZoneInfo(east))).today()
    (policies / "gifts.md").write_text(gifts.replace("EUR 50", "EUR 30"))
    words = ("ingest", str(policies / "gifts.md"), "--effective-from", str(begins))
    assert citebound(*words, CITEBOUND_TIME_ZONE=west).code == 0
    for zones, where, limit in (
        (west, (), "EUR 50"),
        (east, (), "EUR 30"),
        (f"{west},NZ={east}", ("--jurisdiction", "NZ"), "EUR 30"),
        (f"{east},NZ={west}", ("--jurisdiction", "NZ"), "EUR 50"),
    ):
        done = citebound("ask", QUESTION, "--json", *where, CITEBOUND_TIME_ZONE=zones)
        assert limit in json.loads(done.out)["answer"], (zones, done.out)


def test_a_time_zone_that_is_none_is_named(citebound: Callable[..., Any], policies: Path) -> None:
    """In a line, before anything is done, with the code of any other wrong setting."""
    words = ("ingest", str(policies))
    done = citebound(*words, CITEBOUND_TIME_ZONE="Mars/Base")
    other = citebound(*words, CITEBOUND_TIME_ZONE="", CITEBOUND_ENVIRONMENT="test")
    assert done.code == other.code != 0
    assert "CITEBOUND_TIME_ZONE: expected the name of a time zone" in done.err
    assert len(done.err.strip().splitlines()) <= 2
