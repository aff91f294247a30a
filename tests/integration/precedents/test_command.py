"""What officers type: `citebound precedent`."""

import getpass
import json
from pathlib import Path

import pytest

from core.domain.officers import Officer
from tests.databases import login_variables
from tests.integration.precedents.conftest import QUESTION, WORDS, Desk
from tests.running import Ended, command

HERE = getpass.getuser()


class Typed:
    """The command line, as whoever is signed in on this machine."""

    def __init__(self, home: Path, url: str, *logins: str) -> None:
        listed = [{"login": login, "name": login.title()} for login in logins]
        self._home = home
        self._variables = login_variables(url) | {"CITEBOUND_OFFICERS": json.dumps(listed)}

    async def __call__(self, *words: str, **variables: str) -> Ended:
        """Run `citebound precedent`."""
        return await command("precedent", *words, home=self._home, **(self._variables | variables))


async def test_from_a_proposal_to_its_end(desk: Desk, tmp_path: Path, database_url: str) -> None:
    """Each command says what it did; nobody approves their own by naming another in the shell."""
    typed = Typed(tmp_path, database_url, HERE, "ada", "grace")
    case = str(desk.case)
    proposed = await typed(
        *("propose", case, "--clause", "gifts/2.1: up to EUR 50  per giver"),
        *("--wording", "Can a team share a hamper?", "--country", "de"),
    )
    assert proposed.code == 0, proposed.told
    assert "Another officer decides: `citebound precedent approve 1`" in " ".join(
        proposed.told.split()
    )
    own = await typed("approve", "1", LOGNAME="grace", USER="grace")
    assert own.code == 2
    assert f"{HERE} answered or proposed precedent 1" in own.told

    await desk.service.precedent_desk.approve(1, Officer(login="grace", name="Grace"))
    shown = await typed("show", "1")
    for said in (
        QUESTION,
        WORDS.splitlines()[0],
        "up to EUR 50 per giver",
        "everyone; DE",
        "grace",
    ):
        assert said in shown.told
    (listed,) = json.loads((await typed("list", "--json")).told)
    assert (listed["state"], listed["jurisdictions"]) == ("approved", ["DE"])
    assert (await typed("withdraw", "1", "--reason", "under review")).code == 0
    again = await typed("withdraw", "1", "--reason", "again")
    assert again.code == 2
    assert "precedent 1 is withdrawn already" in again.told


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("show", "7"), "there is no precedent 7"),
        (("approve", "7"), "is not an officer: CITEBOUND_OFFICERS lists ada"),
        (("propose", "1", "--clause", "gifts"), "expected a clause like gifts/2.1"),
        (("propose", "1", "--clause", "gifts/2.1", "--country", "DE", "--everywhere"), "got both"),
    ],
)
async def test_what_is_refused(
    desk: Desk, tmp_path: Path, database_url: str, words: tuple[str, ...], why: str
) -> None:
    """One line with the cause, and exit code 2."""
    ended = await Typed(tmp_path, database_url, "ada")(*words)
    assert ended.code == 2
    assert why in " ".join(ended.told.split())
