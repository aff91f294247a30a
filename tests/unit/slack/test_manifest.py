"""The manifest asks for what the code handles and calls: no less, and no more."""

import ast
import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft7Validator

from bot.intake import NotForUs
from bot.slack import manifest as app_manifest
from bot.slack.inbound.app_events import EVENTS as OPENING
from bot.slack.inbound.identity import SlackIdentity
from bot.slack.inbound.interaction import Order, SlackInteraction, order_of, parse_interaction
from bot.slack.inbound.parse import parse
from bot.slack.manifest import manifest, to_yaml
from core.domain.errors import ContractError, UsageError
from tests.servers.slack.scopes import RULES
from tests.servers.slack.workspace import BOT_EVENTS, BOT_SCOPES

ROOT = Path(__file__).parents[3]
SLACK = ROOT / "bot" / "slack"
ADDRESS = "https://citebound.example.com"
MADE: Any = manifest(address=ADDRESS)
HOME = SlackIdentity(app_id="A1", bot_user="U0BOT", teams=frozenset({"T1"}))
TABLE = {"manifest.py"}


def strings_of(path: Path) -> set[str]:
    """Return every string that stands in a module."""
    tree = ast.parse(path.read_text())
    found = (node.value for node in ast.walk(tree) if isinstance(node, ast.Constant))
    return {one for one in found if isinstance(one, str)}


def said() -> set[str]:
    """Return every string of the package, but for the table and what is made of it."""
    modules = [path for path in SLACK.rglob("*.py") if path.name not in TABLE]
    return set[str]().union(*map(strings_of, modules))


def matched(function: str) -> set[str]:
    """Return the words that a function of `parse` takes apart by `match`."""
    tree = ast.parse((SLACK / "inbound" / "parse.py").read_text())
    body = next(n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name == function)
    patterns = [node for node in ast.walk(body) if isinstance(node, ast.MatchValue)]
    return {ast.literal_eval(node.value) for node in patterns}


def test_the_file_is_what_the_command_prints() -> None:
    """Whoever reads it in the repository reads what they would get."""
    written = (ROOT / "deploy" / "slack" / "manifest.yaml").read_text()
    comments, _, rest = written.partition("_metadata:")
    assert all(line.startswith("#") for line in comments.splitlines())
    assert f"_metadata:{rest}" == to_yaml(MADE)


@pytest.mark.parametrize(
    "made", [MADE, manifest(address=None, uses_sockets=True)], ids=["http", "sockets"]
)
def test_yaml_says_what_the_manifest_says(made: dict[str, Any]) -> None:
    """Read by a parser that is not ours."""
    assert yaml.safe_load(to_yaml(made)) == made


@pytest.mark.parametrize("value", ["yes", "a: b # c", "é\u2028\"'\\", "\t", "", "- x", "{}", "1"])
def test_yaml_keeps_every_string(value: str) -> None:
    """Also those that look like something else."""
    made: Any = {"a": {"b": [value, {"c": value, "d": [value]}]}, "e": value}
    assert yaml.safe_load(to_yaml(made)) == made


@pytest.mark.shared_data
@pytest.mark.parametrize("uses_sockets", [False, True])
@pytest.mark.parametrize("address", [ADDRESS, None])
def test_it_is_valid_by_slacks_schema(
    shared: Path, *, address: str | None, uses_sockets: bool
) -> None:
    """With events over HTTP, over sockets, and with installations besides."""
    if address is None and not uses_sockets:
        return
    schema = json.loads((shared / "schemas" / "slack-manifest.schema.2.0.0.json").read_text())
    check = Draft7Validator(schema)
    made = manifest(address=address, uses_sockets=uses_sockets)
    assert [error.message for error in check.iter_errors(made)] == []
    spoiled: Any = json.loads(json.dumps(made))
    spoiled["features"]["unheard_of"] = {}
    assert list(check.iter_errors(spoiled))


def test_every_event_that_is_parsed_is_subscribed_and_no_other() -> None:
    """Kinds of messages are one word of the parser's; the older events can't be subscribed."""
    parsed = matched("parse") | OPENING
    told = {event.partition(".")[0] for event in app_manifest.EVENTS} | app_manifest.OLDER_EVENTS
    assert parsed == told
    assert set(MADE["settings"]["event_subscriptions"]["bot_events"]) == set(app_manifest.EVENTS)


@pytest.mark.parametrize(
    "event", [*app_manifest.EVENTS, *sorted(app_manifest.OLDER_EVENTS), "channel_rename"]
)
def test_every_event_of_the_table_reaches_its_parser(event: str) -> None:
    """It says more than that it does not know the event."""
    told: Any = {"type": event.partition(".")[0], "tab": "messages", "tokens": {"bot": ["U0BOT"]}}
    body: Any = {"api_app_id": "A1", "team_id": "T1", "event_id": "Ev1", "event": told}
    try:
        is_known = parse(body, HOME) != NotForUs(reason="event")
    except ContractError:
        is_known = True
    assert is_known == (event != "channel_rename")


def test_every_method_that_is_called_is_in_the_table_and_no_other() -> None:
    """A method is called by its name, which stands in the code as a string."""
    told = {*app_manifest.METHODS, *app_manifest.APP_METHODS}
    assert said() & ({*RULES} | told) == told


@pytest.mark.parametrize("method", sorted(set(app_manifest.METHODS) & set(RULES)))
def test_a_method_needs_what_slack_asks_for(method: str) -> None:
    """The fake Slack keeps a table of its own; where it names a scope, ours has it."""
    asked = RULES[method].scopes
    assert not asked or set(asked) & set(app_manifest.METHODS[method])


def test_every_scope_is_needed_and_none_is_forbidden() -> None:
    """Those of the tests' Slack are those of the manifest."""
    asked: list[str] = MADE["oauth_config"]["scopes"]["bot"]
    assert sorted(BOT_SCOPES.split()) == asked == sorted(set(asked))
    assert sorted(BOT_EVENTS.split()) == sorted(app_manifest.EVENTS)
    forbidden = r"chat:write\.public|search:.*|admin.*|users:read\.email"
    assert not any(re.fullmatch(forbidden, scope) for scope in asked)


def test_the_command_is_the_one_that_people_are_told() -> None:
    """What texts call it, what is registered, and its words."""
    (command,) = MADE["features"]["slash_commands"]
    text = "\n".join(said())
    assert set(re.findall(r"(?<![\w/.])/policy\b|(?<![\w/.<])/ask\b", text)) == {command["command"]}
    payload: Any = {"command": command["command"], "api_app_id": "A1", "team_id": "T1"}
    payload |= {"trigger_id": "1.2", "user_id": "U1", "channel_id": "C1", "text": "help"}
    found = parse_interaction(payload, HOME)
    assert isinstance(found, SlackInteraction)
    assert (found.kind, found.name) == ("command", app_manifest.COMMAND)
    assert order_of(found.value) is Order.HELP


def test_every_shortcut_is_read() -> None:
    """By its callback id, of its kind."""
    kinds = {"message": "message_action", "global": "shortcut"}
    shortcuts = MADE["features"]["shortcuts"]
    named = {
        node for node in strings_of(SLACK / "blocks" / "action_ids.py") if node.startswith("ask_")
    }
    assert {one["callback_id"] for one in shortcuts} == named - {"ask_submit"}
    for one in shortcuts:
        payload: Any = {"type": kinds[one["type"]], "callback_id": one["callback_id"]}
        payload |= {"api_app_id": "A1", "team": {"id": "T1"}, "user": {"id": "U1"}}
        found = parse_interaction(payload | {"trigger_id": "1.2"}, HOME)
        assert isinstance(found, SlackInteraction)
        assert found.name == one["callback_id"]


def test_the_agent_is_within_slacks_limits() -> None:
    """Lengths that the schema does not know (platforms, 2.1)."""
    features = MADE["features"]
    assert len(features["agent_view"]["agent_description"]) <= 300
    assert "suggested_prompts" not in features["agent_view"]
    assert all(len(one["name"]) <= 24 for one in features["shortcuts"])
    assert all(len(one["description"]) <= 150 for one in features["shortcuts"])
    assert len(MADE["display_information"]["name"]) <= 35


def test_sockets_need_no_address() -> None:
    """Nothing of HTTP is in it, unless the app is installed by OAuth."""
    made: Any = manifest(address=None, uses_sockets=True)
    assert "://" not in to_yaml(made)
    assert made["settings"]["socket_mode_enabled"] is True
    both: Any = manifest(address=ADDRESS, uses_sockets=True)
    assert re.findall(r"https://\S+(?=\")", to_yaml(both)) == [f"{ADDRESS}/slack/oauth_redirect"]


@pytest.mark.parametrize(
    "address",
    [
        "",
        "bot.example.com",
        "http://bot.example.com",
        "https://",
        "https://bot.example.com/path",
        "https://bot.example.com/?q",
        "https://bot.example.com#x",
        "https://me@bot.example.com",
        "https://[bot",
        "https://bot.example.com\n",
        "https://b\u00f6t.example.com",
    ],
)
def test_an_address_that_slack_would_not_take_is_refused(address: str) -> None:
    """Before anybody pastes it."""
    with pytest.raises(UsageError):
        manifest(address=address)


def test_a_slash_at_the_end_is_no_path() -> None:
    """As browsers show addresses."""
    assert manifest(address=f"{ADDRESS}/") == MADE
