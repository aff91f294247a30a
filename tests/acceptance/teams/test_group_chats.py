"""In a group chat nothing is ours that does not name us, but for what we asked somebody back.

Teams sends it with resource-specific consent alone (`ChatMessage.Read.Chat`).
"""

from tests.servers.teams import FakeTeams
from tests.teams_product import Product

OPEN = "Can I accept gifts?"


async def test_the_reply_to_what_was_asked_back_needs_no_mention(
    teams: FakeTeams, served: Product
) -> None:
    """From whom it was asked, and from nobody else; all the rest is stored nowhere."""
    anna, ben = teams.tenant.person("anna"), teams.tenant.person("ben")
    chat = teams.tenant.group_chat("lunch", anna, ben)
    await teams.people.say(anna, chat, "What is the limit for gifts?")
    await teams.people.mention(anna, chat, OPEN)
    await served.quiet()
    await teams.people.say(ben, chat, "as an employee")
    await served.quiet()
    texts = [row["text"] for row in await served.rows("SELECT text FROM citebound.inbox")]
    assert texts == [OPEN]
    await teams.people.say(anna, chat, "as an employee")
    await served.quiet()
    await teams.people.say(anna, chat, "What is the limit for hospitality?")
    await served.quiet()
    rows = await served.rows("SELECT text FROM citebound.inbox ORDER BY id")
    assert [row["text"] for row in rows] == [OPEN, "as an employee"]
    outcomes = await served.rows("SELECT outcome FROM citebound.answers ORDER BY id")
    assert [row["outcome"] for row in outcomes] == ["clarification", "answered"]
