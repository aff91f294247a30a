"""The product in several workspaces, which install it by themselves."""

from dataclasses import dataclass

from tests.servers.slack import FakeSlack
from tests.servers.slack.posts import Message
from tests.servers.slack.town import Town
from tests.slack_product import Browser, Product

QUESTION = "What is the limit for gifts that employees accept from business partners?"
POLICY = "Gifts and Hospitality Policy"


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """Two workspaces, an organisation, and the product."""

    town: Town
    one: FakeSlack
    two: FakeSlack
    grid: FakeSlack
    product: Product

    async def install(self, slack: FakeSlack) -> tuple[int, str]:
        """Let somebody of a workspace install the app with a browser."""
        self.town.installing = slack
        session = slack.sender.session
        assert session is not None
        return await Browser(self.product.base_url, session).install()

    async def answer(self, slack: FakeSlack, question: Message) -> Message:
        """Return the only reply to a question of one workspace."""
        await self.product.quiet(within_s=60)
        return slack.checks.one_answer(question)

    async def disconnections(self) -> list[tuple[object, object]]:
        """Return what the record says of workspaces that were lost."""
        rows = await self.product.rows(
            "SELECT subject, doc->>'reason' AS reason FROM audit.record"
            " WHERE tag = 'workspace:disconnected' ORDER BY at"
        )
        return [(row["subject"], row["reason"]) for row in rows]


def calls(slack: FakeSlack) -> list[str]:
    """Return which methods were called with a token of this workspace."""
    return [one.method for one in slack.journal.entries]
