"""A process that is told to stop ends what it has promised, and leaves nothing open."""

from tests.acceptance.slack.office import QUESTION, shown
from tests.servers.slack import FakeSlack
from tests.servers.slack.faults import slow
from tests.slack_product import product


async def test_a_press_that_was_acknowledged_is_carried_out(
    slack: FakeSlack, slack_database: str
) -> None:
    """The stop comes while Slack opens the evidence: it is filled before the database is closed."""
    async with product(slack, slack_database) as running:
        anna = slack.workspace.user("anna")
        room = slack.workspace.channel("general", anna)
        said = await slack.people.mention(anna, room, QUESTION)
        answer = await running.answer_to(said.message)
        slack.faults.next("views.open", slow(0.5))
        pressed = await slack.presses.click(anna, answer, "evidence_open")
        assert pressed.acknowledged
        assert slack.journal.of("views.open", outcome="ok") == []
    (view,) = slack.presses.views_of(anna)
    assert "Gifts and Hospitality Policy" in shown(view)
