"""The interface in the language of each person's client, on both platforms."""

import json
from collections.abc import AsyncIterator

import pytest

from tests.both_products import Both, both
from tests.servers.slack import FakeSlack
from tests.servers.teams import FakeTeams
from tests.servers.teams.openid import OpenId

QUESTION = "What is the limit for gifts that employees accept from business partners?"


@pytest.fixture
async def run(
    slack: FakeSlack, teams: FakeTeams, microsoft: OpenId, policies_database: str
) -> AsyncIterator[Both]:
    """The product on both platforms."""
    async with both(slack, teams, microsoft, policies_database) as running:
        yield running


async def test_each_person_is_spoken_to_in_their_own_language(run: Both) -> None:
    """Anna's answer is in German for everybody; what Ben presses tells him in English.

    The answer stays German when it is drawn again: taken away by her, whatever her client says now.
    """
    slack, teams = run.slack, run.teams
    anna, ben = slack.workspace.user("anna"), slack.workspace.user("ben")
    anna.locale = "de-DE"
    room = slack.workspace.channel("general", anna, ben)
    await slack.people.mention(anna, room, QUESTION)
    await run.quiet()
    answer = slack.checks.by_app()[-1]
    shown = json.dumps(answer.blocks, ensure_ascii=False)
    for words in ("Belege anzeigen", "Compliance fragen", "Aus den Richtlinien zitiert"):
        assert words in shown
    assert "Show evidence" not in shown
    assert "gift" in shown.lower()
    await slack.presses.click(ben, answer, "escalate_open")
    await slack.until(lambda: bool(slack.checks.seen_by(ben.id)), timeout_s=30)
    assert "Only the person who asked can send this" in slack.checks.seen_by(ben.id)[-1].text
    await slack.presses.click(anna, answer, "answer_remove")
    await run.quiet()
    assert "Diese Antwort wurde entfernt." in slack.checks.by_app()[-1].text

    ann = teams.tenant.person("anna")
    ann.locale = "de-AT"
    hall = teams.tenant.channel("general", ann)
    await teams.people.mention(ann, hall, QUESTION)
    await run.quiet()
    told = json.dumps(teams.tenant.by_bot()[-1].activity, ensure_ascii=False)
    for words in ("Belege anzeigen", "Compliance fragen", "Aus den Richtlinien zitiert"):
        assert words in told
    ann.locale = "en-GB"
    ours = json.loads(told)["attachments"][0]["content"]["actions"][0]["data"]["a"]
    await teams.people.execute(ann, teams.tenant.by_bot()[-1], "remove", {"a": ours})
    await run.quiet()
    now = json.dumps(teams.tenant.by_bot()[-1].activity, ensure_ascii=False)
    assert "Diese Antwort wurde entfernt." in now
    rows = await run.rows("SELECT reply->>'language' AS language FROM citebound.outbox ORDER BY id")
    assert {row["language"] for row in rows} == {"de"}
