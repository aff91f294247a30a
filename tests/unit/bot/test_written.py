"""What an officer writes arrives as written, and nothing else of it is live, anywhere."""

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.officer.written import written_html
from bot.replies.context import Library, RenderContext
from bot.slack.blocks.cases import officer_blocks, officer_text
from bot.slack.blocks.written import written_elements, written_text
from bot.slack.inbound.written import written_of
from bot.teams.cards.render import FULL, TEXT_ONLY, render
from bot.teams.cards.written import written_message
from core.cases.written import people_in, plain, typed
from core.domain.case import OfficerReply
from core.domain.delivery import StoredReply
from core.domain.officers import Account

HOSTS = frozenset({"policies.example.com"})
CONTEXT = RenderContext(
    library=Library(hosts=HOSTS),
    asker="U0ANNA",
    tenant="T1",
    people={"anna weber": "29:anna", "ben": "29:ben"},
    is_public=True,
)
TEXT = (
    "**Yes**, if _she_ agrees: [the policy](https://policies.example.com/g#s3),"
    " [not this](https://evil.example/x).\n\n- a pen\n- a book\n\n1. ask"
    " <@slack/T1/U1|Anna>\n2. wait"
)
HOSTILE = (
    "<!channel>",
    "@channel @here @everyone",
    "<@U1> <@W1|x>",
    "[x](javascript:alert(1))",
    "[x](https://evil.example)",
    "[x](https://policies.example.com@evil.example)",
    "[x](https://policies.example.com.evil.example)",
    "https://evil.example evil.com",
    "<at>Anna Weber</at>",
    "<b onclick=x>",
    "![x](https://evil.example/p.png)",
    "{{DATE(2020-01-01T00:00:00Z)}}",
    "**[x](https://evil.example)**",
)


def reply(text: str) -> OfficerReply:
    """Return an officer's answer to Anna."""
    return OfficerReply(
        case_id="c1", number=7, officer="Olga O.", question="May I?", text=text, asker="U0ANNA"
    )


def elements(made: Any) -> list[dict[str, Any]]:
    """Return all elements of blocks, one inside the other."""
    found: list[dict[str, Any]] = []
    for one in made:
        found.append(one)
        found += elements(one.get("elements", []))
    return found


def test_slack_shows_the_form() -> None:
    """Emphasis, a list of each kind, a link to a host of the settings, a mention."""
    made: Any = written_elements(TEXT, CONTEXT, mentions=True)
    assert [(one["type"], one.get("style")) for one in made] == [
        ("rich_text_section", None),
        ("rich_text_list", "bullet"),
        ("rich_text_list", "ordered"),
    ]
    inner = elements(made)
    assert {"type": "text", "text": "Yes", "style": {"bold": True}} in inner
    assert {"type": "text", "text": "she", "style": {"italic": True}} in inner
    assert [one["url"] for one in inner if one["type"] == "link"] == [
        "https://policies.example.com/g#s3"
    ]
    assert "evil[.]example" in json.dumps(inner)
    assert [one["user_id"] for one in inner if one["type"] == "user"] == ["U1"]
    named = elements(written_elements(TEXT, CONTEXT, mentions=False))
    assert not [one for one in named if one["type"] == "user"]
    assert "@Anna" in json.dumps(named)
    elsewhere = RenderContext(library=CONTEXT.library, tenant="T2")
    assert not [
        one
        for one in elements(written_elements(TEXT, elsewhere, mentions=True))
        if one["type"] == "user"
    ]
    told = written_text(TEXT, CONTEXT)
    assert "<https://policies.example.com/g#s3|the policy>" in told
    assert "<@U1>" in told
    assert "• a pen\n• a book" in told


def test_teams_shows_the_form() -> None:
    """The same in Markdown; whoever is named and reads the conversation is mentioned."""
    told = written_message(f"{TEXT}\n\nAsk @Anna Weber, or @Ben. Not @Carla.", CONTEXT)
    assert "**Yes**, if _she_ agrees: [the policy](https://policies.example.com/g#s3)," in told.text
    assert "evil\\[.\\]example" in told.text
    assert "- a pen\n- a book" in told.text
    assert "1. ask @Anna\n2. wait" in told.text
    assert [one["mentioned"] for one in told.mentions] == [
        {"id": "29:anna", "name": "Anna Weber"},
        {"id": "29:ben", "name": "Ben"},
    ]
    assert all(str(one["text"]) in told.text for one in told.mentions)
    assert "Ask <at>Anna Weber</at>, or <at>Ben</at>. Not @Carla." in told.text


def test_a_message_of_teams_has_an_entity_for_each_mention() -> None:
    """And a plainer one has neither."""
    stored = StoredReply(officer_reply=reply("Ask @Ben."), record_id="r", leaf_hash="ab" * 32)
    full = render(stored, FULL, context=CONTEXT).activity
    assert [one["mentioned"]["id"] for one in full["entities"]] == ["29:ben"]  # pyright: ignore
    assert "<at>Ben</at>" in str(full["text"])
    least = render(stored, TEXT_ONLY, context=CONTEXT).activity
    assert "entities" not in least
    assert "Ask @Ben." in str(least["text"])


def test_the_console_shows_the_form() -> None:
    """With links to hosts of the settings, and no other."""
    html = str(written_html(TEXT, hosts=HOSTS))
    assert "<p><strong>Yes</strong>, if <em>she</em> agrees: <a href=" in html
    assert "<ul><li>a pen</li><li>a book</li></ul><ol><li>ask <bdi>@Anna</bdi></li>" in html
    assert html.count("<a ") == 1


def check_inert(text: str) -> None:
    """Hold what was typed against everything that may be live."""
    told = typed(text)
    assert people_in(told) == ()
    made = elements(officer_blocks(reply(told), CONTEXT, last="Case 1")[1]["elements"])
    assert {one["type"] for one in made} <= {
        *("text", "rich_text_section", "rich_text_list", "rich_text_quote", "link")
    }
    links = [one["url"] for one in made if one["type"] == "link"]
    assert all(re.match(r"https://policies\.example\.com(?:[/?#]|\Z)", one) for one in links)
    mrkdwn = officer_text(reply(told), CONTEXT, last="Case 1").replace("<@U0ANNA>", "")
    live = re.findall(r"<([^<>]*)>", mrkdwn)
    assert all(re.match(r"https://policies\.example\.com(?:[/?#|]|\Z)", one) for one in live)
    markdown = written_message(told, RenderContext(library=Library(hosts=HOSTS))).text
    assert not re.search(r"(?<!\\)<", markdown)
    for url in re.findall(r"(?<!\\)\]\((.*?)\)", markdown):
        assert re.match(r"https://policies\.example\.com(?:[/?#]|\Z)", url)
    html = str(written_html(told, hosts=HOSTS))
    tags = set(re.findall(r"<(/?[a-z]+)", html))
    assert tags <= {*("p", "/p", "ul", "/ul", "ol", "/ol", "li", "/li", "br", "a", "/a")} | {
        *("strong", "/strong", "em", "/em")
    }
    assert all(
        re.match(r"https://policies\.example\.com(?:[/?#]|\Z)", one)
        for one in re.findall(r'href="([^"]*)"', html)
    )


@pytest.mark.parametrize("text", HOSTILE)
def test_what_looks_live_is_not(text: str) -> None:
    """Alone, within emphasis and in a list."""
    for one in (text, f"**{text}**", f"- {text}", f"[{text}](https://policies.example.com)"):
        check_inert(one)


@given(st.text(max_size=150))
def test_nothing_that_is_typed_is_live(text: str) -> None:
    """Whatever it is."""
    check_inert(text)


@given(st.text(alphabet="*_[]()<@|!\\ ab1.-\n/h:tps", max_size=150))
def test_no_signs_are_live(text: str) -> None:
    """Put together by chance."""
    check_inert(text)


def rich(*elements: dict[str, Any]) -> dict[str, Any]:
    """Return the value of a field of Slack's that keeps the form."""
    return {"type": "rich_text", "elements": list(elements)}


def section(*elements: dict[str, Any]) -> dict[str, Any]:
    """Return a paragraph of it."""
    return {"type": "rich_text_section", "elements": list(elements)}


def test_slack_is_read() -> None:
    """Each element that may stand there; of those that would call many, the words."""
    value = rich(
        section(
            {"type": "text", "text": "Yes, "},
            {"type": "text", "text": "up to 2*3", "style": {"bold": True}},
            {"type": "text", "text": " for "},
            {"type": "user", "user_id": "U1"},
            {"type": "text", "text": "\n- no list\n\nSee "},
            {"type": "link", "url": "https://policies.example.com/g", "text": "this"},
            {"type": "text", "text": " "},
            {"type": "broadcast", "range": "channel"},
            {"type": "text", "text": " "},
            {"type": "emoji", "name": "tada", "unicode": "1f389"},
            {"type": "link", "url": "mailto:a@b.example", "text": "write"},
        ),
        {
            "type": "rich_text_list",
            "style": "ordered",
            "elements": [section({"type": "text", "text": "one", "style": {"italic": True}})],
        },
    )
    told = written_of(value, tenant="T1")
    assert people_in(told) == (Account(platform="slack", tenant="T1", person="U1"),)
    assert plain(told) == (
        "Yes, up to 2*3 for @somebody\n- no list\n\n"
        "See this (https://policies.example.com/g) @channel \U0001f389write"
        " (mailto:a@b.example)\n\n"
        "1. one"
    )
    inner = elements(written_elements(told, CONTEXT, mentions=True))
    assert {"type": "text", "text": "up to 2*3", "style": {"bold": True}} in inner
    assert {"type": "text", "text": "one", "style": {"italic": True}} in inner


@pytest.mark.parametrize(
    "value",
    [{}, {"elements": "x"}, rich({}), rich({"elements": [None, {"type": 7}]}), rich(section())],
)
def test_whatever_a_client_sends_is_text(value: dict[str, Any]) -> None:
    """At worst none."""
    assert written_of(value, tenant="T1") == ""
