"""Whatever text is in them, payloads are such as Slack takes, and nothing in them is live."""

import json
import re
import unicodedata
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft7Validator

from bot.replies.safe_text import width
from bot.slack.blocks.mrkdwn import LIMIT
from tests.properties import examples
from tests.servers.slack.markup import Live, live
from tests.servers.slack.posts import Message
from tests.servers.slack.wire import Json
from tests.unit.slack.payloads import ASKER, HOST, Payload, defanged_once, every, faults

__all__ = ["defanged_once"]
pytestmark = pytest.mark.slow

HOSTILE = (
    "<!channel>",
    "<!here|x>",
    "<@U0VICTIM>",
    "<#C1|general>",
    "<!subteam^S1>",
    "@channel @here #general",
    "<!date^1^{date}^https://evil.example|x>",
    "https://evil.example/x?a=b",
    "HTTPS://EVIL.EXAMPLE",
    "<https://evil.example|click>",
    "[x](https://evil.example)",
    "![x](https://evil.example/p.png)",
    "[x][1]\n[1]: https://evil.example",
    "](javascript:alert(1))",
    "javascript:alert(1)",
    "data:text/html;base64,PGI+",
    "evil.com",
    "www.evil.com",
    "evil\u3002com",
    "xn--e1afmkfd.xn--p1ai",
    "\u043f\u0440\u0438\u043c\u0435\u0440.\u0440\u0444",
    "evil\u200b.\u200dcom",
    "mailto:a@evil.com",
    "a@evil.com",
    "http://10.0.0.1/",
    "http://[::1]/",
    f"https://{HOST}@evil.com/",
    f"https://{HOST}.evil.com/",
    f"https://{HOST}:80@evil.com",
    "<img src=https://evil.com/p.png>",
    "<a href='//evil.com'>x</a>",
    "```<!channel>```",
    "\u202egnp.exe\u202c",
    "\U000e0041\U000e0042",
    "\x00\x07\x1b[31m",
    "\u05e9\u05dc\u05d5\u05dd",
    "\u0645\u0631\u062d\u0628\u0627",
    "&lt;!channel&gt;",
    "&amp;lt;@U1&amp;gt;",
    "\U0001f469\u200d\U0001f4bb",
    "a\nb\r\nc\u2028d",
    "|",
    "*bold* _it_ ~s~ `c` > q",
    "\ud800",
)
OURS = re.compile(rf"https://(?:{re.escape(HOST)}|acme\.slack\.com)/[^@]*")
ISOLATES = {"\u2068", "\u2069"}
TEXTS = st.lists(st.sampled_from(HOSTILE) | st.text(max_size=12), min_size=1, max_size=8).flatmap(
    lambda parts: st.sampled_from(["", " ", "\n"]).map(lambda by: by.join(parts))
)


def check(payload: Payload) -> None:
    """Hold a payload against everything."""
    assert faults(payload) == [], payload.name
    assert width(payload.text) <= LIMIT, payload.name
    if payload.surface == "message":
        assert payload.text.strip(), payload.name
    found = live_in(payload)
    assert [one for one in found.links if not OURS.fullmatch(one)] == [], payload.name
    assert set(found.mentions) <= {ASKER}, payload.name
    assert found.images == [], payload.name
    for text in strings([payload.text, *payload.blocks, payload.view]):
        assert not hidden(text), (payload.name, text[:80])
        assert "://" not in OURS.sub("", text.split("|")[0] if OURS.match(text) else _rest(text))


def _rest(text: str) -> str:
    """Return mrkdwn without the links that code made."""
    return re.sub(r"<(https://[^|>]+)\|[^>]*>", lambda found: OURS.sub("", found[1]), text)


def live_in(payload: Payload) -> Live:
    """Return what would be live, bare addresses in rich text among it."""
    message = Message(
        channel="C1",
        ts="1.1",
        user="U0BOT",
        team="T1",
        text=payload.text,
        blocks=list(payload.blocks),
        sent={"parse": "none", "link_names": False},
    )
    return live(message, strict=True)


def strings(value: Any) -> list[str]:
    """Return every text in a payload."""
    if isinstance(value, str):
        return [value]
    inner: list[Any] = list(value.values()) if isinstance(value, dict) else []  # pyright: ignore
    inner += list(value) if isinstance(value, (list, tuple)) else []  # pyright: ignore
    return [text for one in inner for text in strings(one)]


def hidden(text: str) -> list[str]:
    """Return what a reader can't see; a joiner in a script or an emoji that needs it is seen."""
    categories = {"Cc", "Cf", "Cs", "Co", "Cn"}
    found = [char for char in text if unicodedata.category(char) in categories]
    return [char for char in found if char not in ISOLATES | {"\n", "\u200c", "\u200d"}]


@examples(8, nightly=1_000)
@given(text=TEXTS)
def test_nothing_is_live_and_everything_is_taken(text: str) -> None:
    """No link, mention or image that code did not make, in any payload."""
    for payload in every(text):
        check(payload)


@pytest.mark.sampled(8)
@pytest.mark.parametrize("text", ["", "May I take a gift?", *HOSTILE])
def test_named_texts(text: str) -> None:
    """Each hostile text alone."""
    for payload in every(text):
        check(payload)


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    "text", ["x", "<!channel> https://evil.com\n", "\u05e9\u05dc\u05d5\u05dd \U0001f600&"]
)
def test_long_texts(text: str) -> None:
    """30 kB in every place at once."""
    for payload in every(text * (30_000 // len(text.encode()))):
        check(payload)


SCHEMAS = {"message": "blocks", "modal": "modal", "home": "home", "chunks": "chunks"}


@pytest.mark.shared_data
@pytest.mark.sampled(2)
@pytest.mark.parametrize("text", ["May I take a gift?", "", " ".join(HOSTILE), "x" * 5_000])
def test_published_types(shared: Path, text: str) -> None:
    """Nesting, keys and enumerations, by the types that Slack publishes."""
    schemas: dict[str, Draft7Validator] = {}
    for surface, name in SCHEMAS.items():
        schema: Json = json.loads((shared / "schemas" / f"slack-{name}.schema.json").read_text())
        schemas[surface] = Draft7Validator(schema)
    for payload in every(text):
        given: Any = payload.view or list(payload.blocks)
        wrong = list(schemas[payload.surface].iter_errors(given))
        assert wrong == [], payload.name
