"""What would be live in a client."""

from typing import Any

import pytest

from tests.servers.slack import images, live_links, live_mentions, typed
from tests.servers.slack.markup import live_in_view
from tests.servers.slack.posts import Message
from tests.servers.slack.wire import Json


def message(text: str = "", *blocks: Json, **sent: Any) -> Message:
    """Return a message of our app."""
    return Message(
        channel="C1", ts="1.1", user="U0BOT", team="T1", text=text, blocks=list(blocks), sent=sent
    )


def section(text: str, **more: Any) -> Json:
    """Return a section of mrkdwn."""
    return {"type": "section", "text": {"type": "mrkdwn", "text": text} | more}


def rich(*elements: Json) -> Json:
    """Return rich text."""
    return {
        "type": "rich_text",
        "elements": [{"type": "rich_text_section", "elements": list(elements)}],
    }


@pytest.mark.parametrize(
    ("text", "links", "mentions"),
    [
        ("<https://evil.example|here>", ["https://evil.example"], []),
        ("<mailto:a@b.example|a>", ["mailto:a@b.example"], []),
        ("<javascript:alert(1)|here>", ["javascript:alert(1)"], []),
        ("<!channel> <!here> <!everyone|all>", [], ["!channel", "!here", "!everyone"]),
        ("<@U1> <#C1|general> <!subteam^S1>", [], ["U1", "#C1", "!subteam^S1"]),
        ("<!date^1^{date}^https://evil.example|x>", ["https://evil.example"], []),
        ("&lt;!channel&gt; &lt;@U1&gt; &lt;https://x|y&gt;", [], []),
        ("@channel @here #general", [], []),
        ("a < b and c > d", [], []),
        ("`<@U1>`", [], ["U1"]),
    ],
)
def test_control_sequences(text: str, links: list[str], mentions: list[str]) -> None:
    """Live in `text` and in mrkdwn, also in code; inert once escaped."""
    for given in (message(text, parse="none"), message("", section(text, verbatim=True))):
        assert live_links(given) == links
        assert live_mentions(given) == mentions


def test_bare_addresses_are_live_unless_slack_is_told_not_to_look() -> None:
    """`parse="none"` for `text`, `verbatim` for mrkdwn."""
    bare = "see https://evil.example/x and evil.example"
    assert live_links(message(bare)) == ["https://evil.example/x", "evil.example"]
    assert live_links(message(bare, parse="none")) == []
    assert live_links(message("", section(bare))) == ["https://evil.example/x", "evil.example"]
    assert live_links(message("", section(bare, verbatim=True))) == []


def test_names_are_live_when_slack_is_told_to_look() -> None:
    """`link_names` or `parse="full"`."""
    assert live_mentions(message("@here #general", link_names=True)) == ["@here", "#general"]
    assert live_mentions(message("@here", parse="full")) == ["@here"]
    assert live_mentions(message("@here", parse="none", link_names=False)) == []


def test_rich_text_is_live_by_its_elements_only() -> None:
    """Its text never is, but perhaps for bare addresses: `strict` counts those."""
    text: Json = {"type": "text", "text": "<!channel> [x](https://evil.example)"}
    given = message("", rich(text))
    assert (live_links(given), live_mentions(given), images(given)) == ([], [], [])
    assert live_links(given, strict=True) == ["https://evil.example)"]
    link: Json = {"type": "link", "url": "https://policies.example"}
    named: list[Json] = [
        {"type": "user", "user_id": "U1"},
        {"type": "broadcast", "range": "channel"},
        {"type": "channel", "channel_id": "C1"},
    ]
    given = message("", {"type": "container", "child_blocks": [rich(link, *named)]})
    assert live_links(given) == ["https://policies.example"]
    assert live_mentions(given) == ["U1", "!channel", "#C1"]


def test_plain_text_is_never_live() -> None:
    """Whatever it holds."""
    text: Json = {"type": "plain_text", "text": "<!channel> <https://evil.example|x>"}
    given = message("", {"type": "section", "text": text}, {"type": "context", "elements": [text]})
    assert (live_links(given), live_mentions(given)) == ([], [])


def test_buttons_images_and_attachments() -> None:
    """A button's address is a link; an image is fetched without a click."""
    button: Json = {"type": "button", "url": "https://policies.example"}
    image: Json = {"type": "image", "image_url": "https://evil.example/p.png", "alt_text": "x"}
    given = message("", {"type": "actions", "elements": [button]}, image)
    given.attachments = [{"fallback": "a", "text": "<@U1>", "thumb_url": "https://t.example"}]
    assert live_links(given) == ["https://policies.example"]
    assert images(given) == ["https://evil.example/p.png", "https://t.example"]
    assert live_mentions(given) == ["U1"]


def test_markdown_blocks_have_links_and_images() -> None:
    """Which is why nothing of ours is one."""
    given = message("", {"type": "markdown", "text": "[x](https://a.test) ![y](https://b.test)"})
    assert "https://a.test" in live_links(given)
    assert images(given) == ["https://b.test"]


def test_what_people_type_comes_escaped() -> None:
    """And with addresses in `<>`."""
    assert typed("a < b & c, see https://a.test/x") == ("a &lt; b &amp; c, see <https://a.test/x>")


def test_views_are_read_like_messages() -> None:
    """Blocks of a modal."""
    assert live_in_view({"blocks": [section("<!here>")]}).mentions == ["!here"]
