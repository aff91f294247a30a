"""Every kind of card is read by Microsoft's own parser without an objection.

`adaptivecards` is Microsoft's, from npm, runs in Node, and is not shipped.
"""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.servers.npm import need_package
from tests.unit.teams.payloads import cards_of, every
from tests.unit.teams.test_payloads import HOSTILE

NAME, VERSION, ABSENT = "adaptivecards", "3.0.6", "adaptivecards absent"
DRIVER = Path(__file__).parents[2] / "servers" / "adaptivecards.js"
WITHIN_S = 120


@pytest.fixture(scope="module")
def parser() -> Path:
    return need_package(NAME, VERSION, absent=ABSENT) / "dist" / "adaptivecards.js"


def objections(parser: Path, cards: list[dict[str, Any]]) -> list[list[str]]:
    """Return for each card what the parser says."""
    done = subprocess.run(  # noqa: S603  # what is run is written here
        ["node", str(DRIVER), str(parser)],  # noqa: S607
        input=json.dumps(cards),
        capture_output=True,
        text=True,
        timeout=WITHIN_S,
        check=True,
    )
    return json.loads(done.stdout)


@pytest.mark.parametrize(
    "text", ["May I take a gift?", " ".join(HOSTILE)], ids=["plain", "hostile"]
)
def test_microsofts_parser_objects_to_no_card(parser: Path, text: str) -> None:
    """Each different card once."""
    named = {json.dumps(card): one.name for one in every(text) for card in cards_of(one)}
    found = objections(parser, [json.loads(card) for card in named])
    assert len(found) > 30
    wrong = zip(named.values(), found, strict=True)
    assert [(name, told) for name, told in wrong if told] == []


def test_it_finds_what_is_wrong(parser: Path) -> None:
    """An element that nobody knows, a word that is none, an input without its id."""
    kinds: list[dict[str, Any]] = [
        {"type": "Nothing"},
        {"type": "TextBlock", "text": "x", "weight": "Boldest"},
        {"type": "Input.Text"},
    ]
    cards = [{"type": "AdaptiveCard", "version": "1.5", "body": [one]} for one in kinds]
    assert all(objections(parser, cards))
