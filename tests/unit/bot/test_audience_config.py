"""The file of groups and scopes: read whole, or refused with its place."""

from pathlib import Path

import pytest

from bot.audience_config import AudienceConfig, read_audience_config
from core.domain.errors import ConfigError

VARIABLE = "CITEBOUND_TEAMS_CONFIG"
FILE = """
[groups]
finance = ["U1", "U2"]
board = ["U1"]

[channels.C1]
audience = ["finance"]
jurisdiction = "DE"
tags = ["gifts"]
"""


def written(folder: Path, text: str) -> Path:
    path = folder / "rights.toml"
    path.write_text(text)
    return path


def test_groups_and_scopes_are_read(tmp_path: Path) -> None:
    """Whoever and whatever is not named has none."""
    rights = read_audience_config(written(tmp_path, FILE), variable=VARIABLE)
    assert rights.groups_of("U1") == {"finance", "board"}
    assert rights.groups_of("U3") == frozenset()
    assert rights.scope_of("C1").audience == {"finance"}
    assert rights.scope_of("C1").jurisdiction == "DE"
    assert rights.scope_of("C2").tags == frozenset()


def test_without_a_file_nobody_has_a_group() -> None:
    """Policies for everyone are all that is answered."""
    assert read_audience_config(None, variable=VARIABLE) == AudienceConfig()


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("[groups", "can't be read"),
        ("[group]\nfinance = []", "unknown group"),
        ('[groups]\nfinance = "U1"', "groups.finance"),
        ("[groups]\nfinance = [1]", "groups.finance"),
        ("groups = 1", "groups"),
        ("[channels.C1]\naudiense = []", "unknown audiense"),
        ("[channels.C1]\njurisdiction = 1", "jurisdiction"),
        ('[user_groups]\nfinance = ["S1"]', "unknown user_groups"),
        ('[entra_groups]\nfinance = ["Finance"]', "'Finance' is no id of a group"),
        ('[guests]\nmay_ask = "multi_channel"', "expected true or false"),
        ("[guests]\nmay_ask = 1", "guests.may_ask"),
        ('[guests]\nmay_ask = true\ngroups = ["contactors"]', "nobody can be of 'contactors'"),
        ("[guests]\nmay_ask = true\ngroups = []", "names no group"),
        ("[guests]\nmay = true", "unknown may"),
        ('[groups]\nHR = ["U1"]\nhr = ["U2"]', "'HR' and 'hr' differ in case alone"),
        ('[groups]\nHR = ["U1"]\n[channels.C1]\naudience = ["hr"]', "differ in case alone"),
        ('[groups]\nHR = ["U1"]\n[guests]\ncount_as = ["hr"]', "differ in case alone"),
        ('[groups]\nEveryone = ["U1"]', "'Everyone' and 'everyone' differ"),
    ],
)
def test_a_fault_is_named(tmp_path: Path, text: str, named: str) -> None:
    """A misspelt word would grant or lift nothing, unnoticed."""
    with pytest.raises(ConfigError, match=f"{VARIABLE}: .*{named}"):
        read_audience_config(written(tmp_path, text), variable=VARIABLE)


def test_guests_may_not_ask_unless_the_file_says_so(tmp_path: Path) -> None:
    """And a file that speaks of them otherwise does not let them."""
    for text in ("", '[guests]\ncount_as = ["x"]', "[guests]\nmay_ask = false"):
        rights = read_audience_config(written(tmp_path, text), variable=VARIABLE)
        assert rights.guests.kinds == frozenset()


def test_slack_tells_two_kinds_of_guests(tmp_path: Path) -> None:
    """Teams one; ids of Slack's groups stand as they are, those of Entra in lower case."""
    slack = "CITEBOUND_SLACK_CONFIG"
    text = '[user_groups]\nfinance = ["S0A", "T0B/S0C"]\n[guests]\nmay_ask = "multi_channel"'
    rights = read_audience_config(written(tmp_path, text), variable=slack)
    assert rights.guests.kinds == {"guest"}
    assert rights.directory["finance"] == {"S0A", "T0B/S0C"}
    entra = "6A3F0000-0000-4000-8000-000000000001"
    text = f'[entra_groups]\nfinance = ["{entra}"]\n[guests]\nmay_ask = true'
    rights = read_audience_config(written(tmp_path, text), variable=VARIABLE)
    assert rights.guests.kinds == {"guest", "single_channel_guest"}
    assert rights.directory["finance"] == {entra.lower()}
