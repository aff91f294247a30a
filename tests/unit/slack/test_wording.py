"""What a person typed, out of what Slack sends."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.slack.inbound.payload import names, typed
from tests.servers.slack.markup import typed as as_slack_sends


@pytest.mark.parametrize(
    ("sent", "expected"),
    [
        ("<@UBOT> May I?", "May I?"),
        ("<@UBOT|citebound> May I?", "May I?"),
        ("Hey <@UBOT> may I?", "Hey may I?"),
        ("<@UBOT>", ""),
        ("ask <@U1|anna> or <@U2>", "ask @anna or @U2"),
        ("in <#C1|general> or <#C2>", "in #general or #C2"),
        ("<!here> <!channel|@channel> <!subteam^S1|@legal> <!subteam^S1>", None),
        ("<!date^1^{date}|1 May>", "1 May"),
        ("see <https://a.test/x> or <http://b.test|b.test>", "see https://a.test/x or b.test"),
        ("mail <mailto:a@b.test|a@b.test> <mailto:a@b.test>", "mail a@b.test a@b.test"),
        ("5 &lt; 6 &amp;&amp; 7 &gt; 6", "5 < 6 && 7 > 6"),
        ("&amp;lt;b&amp;gt;", "&lt;b&gt;"),
        ("&lt;@UBOT&gt;", "<@UBOT>"),
        ("  a  b\nc ", "a  b\nc"),
    ],
)
def test_what_was_typed(sent: str, expected: str | None) -> None:
    """Labels instead of ids, characters instead of escapes, and not our own name."""
    expected = "@here @channel @legal @subteam" if expected is None else expected
    assert typed(sent, bot_user="UBOT") == expected


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"])))
def test_whatever_is_typed_comes_through(text: str) -> None:
    """Escaped by Slack, read back by us."""
    assert typed(as_slack_sends(text), bot_user="UBOT") == text.strip()


@pytest.mark.parametrize(
    ("text", "expected"), [("<@UBOT>", True), ("a <@UBOT|b>", True), ("<@UBOTX>", False)]
)
def test_who_is_named(text: str, expected: bool) -> None:
    """We, and not somebody whose id begins like ours."""
    assert names(text, "UBOT") is expected
