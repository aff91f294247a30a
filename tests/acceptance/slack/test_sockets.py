"""Without a public address: two sockets, and one that is dead is opened anew."""

from aiohttp import ClientSession

from bot.slack.app.endpoint import CONNECTIONS
from tests.servers.slack import FakeSlack
from tests.slack_product import product

QUESTION = "What is the limit for gifts that employees accept from business partners?"


async def test_a_question_over_a_socket_is_answered(slack: FakeSlack, slack_database: str) -> None:
    """Also after Slack asked the sockets to come back; readiness says whether there are any."""
    async with product(
        slack,
        slack_database,
        slack_signing_secret=None,
        slack_app_token=slack.workspace.app_token,
    ) as running:
        await slack.until(lambda: len(slack.sockets.connections) == CONNECTIONS, timeout_s=30)
        anna = slack.workspace.user("anna")
        first = list(slack.sockets.connections)
        said = await slack.people.ask(anna, QUESTION)
        await running.quiet(within_s=60)
        assert "Gifts" in str(slack.checks.one_answer(said.message).blocks)
        await slack.sockets.disconnect()
        await slack.until(
            lambda: (
                len(slack.sockets.connections) == CONNECTIONS
                and not set(map(id, first)) & set(map(id, slack.sockets.connections))
            ),
            timeout_s=30,
        )
        assert (await slack.people.ask(anna, "and for contractors?")).acknowledged
        async with (
            ClientSession() as session,
            session.get(f"{running.operations_url}/readyz") as answer,
        ):
            assert (answer.status, await answer.text()) == (200, "ready")
        await running.quiet(within_s=60)
