"""What is known of a policy beside its text, from its file to both platforms and the record."""

import json
from datetime import date

from core.bootstrap import bootstrap
from core.config.settings import Settings
from core.ingest.prepare import Overrides
from tests.acceptance.slack.office import shown as shown_in_slack
from tests.acceptance.teams.test_pressing import dialog, fetch, id_of
from tests.both_products import both
from tests.databases import logins
from tests.servers.slack import FakeSlack
from tests.servers.slack.wire import objects
from tests.servers.teams import FakeTeams
from tests.servers.teams.openid import OpenId

HOST = "policies.example.com"
URL = f"https://{HOST}/devices"
OPENED = f"{URL}#:~:text=1%20Loss"
QUESTION = "Within how many hours must the loss of a device be reported?"
TEXT = """---
owner: Head of IT
classification: Internal
verified by: Group Security
next review: 2020-01-31
---
# Devices Policy

## 1 Loss

The loss or theft of a device must be reported to the service desk within 1 hour, so that it can be
wiped remotely.
"""
NOTE = "“Devices Policy” was due for review by 2020-01-31"


async def test_what_is_known_of_a_policy_reaches_people_and_the_record(
    slack: FakeSlack, teams: FakeTeams, microsoft: OpenId, policies_database: str
) -> None:
    """A review that is overdue is said below the answer, and keeps nothing back."""
    async with bootstrap(Settings(**logins(policies_database))) as service:
        await service.ingestor.ingest(
            TEXT.encode(), source_name="devices.md", given=Overrides(url=URL), with_chunks=True
        )
    anna, ben = slack.workspace.user("anna"), teams.tenant.person("ben")
    async with both(slack, teams, microsoft, policies_database, link_hosts=HOST) as running:
        asked = await slack.people.ask(anna, QUESTION)
        said = await teams.people.say(ben, teams.tenant.personal(ben), QUESTION)
        await running.quiet()
        in_slack = slack.checks.one_answer(asked.message)
        in_teams = teams.checks.one_answer(said.message)
        for words in ("owner Head of IT", "verified by Group Security", "classified Internal"):
            assert words in shown_in_slack(in_slack)
            assert words in json.dumps(in_teams.activity)
        assert OPENED in shown_in_slack(in_slack)
        assert NOTE in shown_in_slack(in_slack)
        assert NOTE in in_teams.text.replace("\\", "")
        entity = in_teams.entity("https://schema.org/Message")
        assert entity is not None
        assert entity["usageInfo"]["name"] == "Internal"
        document = in_teams.citations[0]["appearance"]
        assert document["url"].startswith(URL)
        evidence = dialog(await fetch(teams, ben, in_teams, "evidence", id_of(in_teams)))
        assert URL in evidence
        await slack.presses.click(anna, in_slack, "evidence_open")
        await slack.until(
            lambda: any(OPENED in shown_in_slack(one) for one in slack.presses.views_of(anna)),
            timeout_s=15,
        )
        rows = await running.rows(
            "SELECT doc->'sources' AS sources FROM audit.record WHERE tag = 'question:answered'"
        )
        published = await running.rows(
            "SELECT doc::text AS doc FROM audit.record WHERE doc::text LIKE '%Devices Policy%'"
        )
    for row in rows:
        (kept,) = [one for one in objects(row["sources"]) if one["policy"] == "devices"]
        assert (kept["url"], kept["sensitivity"]) == (URL, "Internal")
        assert kept["review_by"] == "2020-01-31"
    assert len(rows) == 2
    assert any(URL in str(row["doc"]) for row in published)


async def test_no_link_leads_to_a_host_that_is_not_named(
    slack: FakeSlack, teams: FakeTeams, microsoft: OpenId, policies_database: str
) -> None:
    """Whatever the document says of itself; and a review that is not due is not spoken of."""
    text = TEXT.replace("2020-01-31", str(date.max)).replace(
        "owner:", "url: https://evil.example.com/devices\nowner:"
    )
    async with bootstrap(Settings(**logins(policies_database))) as service:
        await service.ingestor.ingest(
            text.encode(), source_name="devices.md", given=Overrides(), with_chunks=True
        )
    anna, ben = slack.workspace.user("anna"), teams.tenant.person("ben")
    async with both(slack, teams, microsoft, policies_database, link_hosts=HOST) as running:
        asked = await slack.people.ask(anna, QUESTION)
        said = await teams.people.say(ben, teams.tenant.personal(ben), QUESTION)
        await running.quiet()
        for told in (
            shown_in_slack(slack.checks.one_answer(asked.message)),
            json.dumps(teams.checks.one_answer(said.message).activity),
        ):
            assert "Head of IT" in told
            assert "evil.example.com" not in told
            assert "due for review" not in told
