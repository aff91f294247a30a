"""Home and the agent's tab: what somebody sees who opens us."""

from bot.slack.calls import Slack
from bot.slack.home_view import Home, home_view
from bot.slack.opened import Opened
from core.domain.run import Json
from core.ports import CorpusStore

PROMPTS: tuple[tuple[str, str], ...] = (
    ("Gifts and hospitality", "What is the limit for gifts?"),
    ("Conflicts of interest", "When do I have to declare a conflict of interest?"),
    ("Keeping records", "How long do I have to keep receipts?"),
    ("How it works", "What can I ask you?"),
)
"""At most four."""


class Showing:
    """Shows Home, and what to ask, to whoever opens us."""

    def __init__(self, slack: Slack, corpus: CorpusStore) -> None:
        """Take where to show it, and who knows the policies."""
        self._slack = slack
        self._corpus = corpus

    async def show(self, opened: Opened) -> None:
        """Show what belongs to what was opened; nothing to somebody from outside."""
        if opened.is_outside:
            return
        if opened.what == "home":
            view = home_view(Home(edition=await self._corpus.current_edition()))
            await self._slack.write("views.publish", user_id=opened.person, view=view)
        elif opened.what in {"messages", "thread"}:
            await self._prompt(opened)

    async def _prompt(self, opened: Opened) -> None:
        prompts: list[Json] = [{"title": title, "message": words} for title, words in PROMPTS]
        await self._slack.write(
            "assistant.threads.setSuggestedPrompts",
            channel_id=opened.channel,
            thread_ts=opened.thread_ts,
            title="What would you like to know?",
            prompts=prompts,
        )
