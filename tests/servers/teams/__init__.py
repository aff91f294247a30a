"""A Teams of our own, for tests: a connector service, a login service, and people.

    async with fake_teams() as teams:                     # speed=600: a minute waits 0.1 s
        anna = teams.tenant.person("anna")                # user_role="guest", tenant_id=OTHER, …
        room = teams.tenant.channel("general", anna)      # .group_chat(…), .personal(anna)
        settings = Settings.from_environment(teams.environment)
        teams.app_url = "http://127.0.0.1:1234/api/messages"
        teams.sender.sign = maker.headers                 # Activity -> headers with a token
        said = await teams.people.mention(anna, room, "May I?")
        await teams.journal.wait_for("post")
        answer = teams.checks.one_answer(said.message)
        assert teams.checks.seen_by(anna, room) == [...]

- `tenant` is what there is; `people` write, press, choose, install, leave, cancel a stream; each
  returns what was sent to the bot and how it answered.
- Calls are named `post`, `reply`, `update`, `delete`, `create`, `members` and, of the login
  service, `token`: `faults.next("post", processed_then_reset())`, `always`, `heal()`.
- `limits` are on; `limits.on = False`. `content` and `streams` refuse what Teams refuses, with its
  codes. `conversation.refuses = (403, "BotNotInConversationRoster", "…")`.
- Time: `teams.clock.advance(130)` lets a stream grow too old at once.
- `journal` has every call with its outcome; `was_done` tells what the caller may not have heard.
- `checks` asserts: one answer, in its thread, nothing twice, no stream left open, who sees what.
"""

from tests.servers.teams.server import FakeTeams, fake_teams
from tests.servers.teams.tenant import Conversation, Message, Person, Tenant

__all__ = ["Conversation", "FakeTeams", "Message", "Person", "Tenant", "fake_teams"]
