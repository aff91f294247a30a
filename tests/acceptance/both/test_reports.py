"""A report reaches nobody whom it names, and no record holds its words, on both platforms."""

import pytest

from tests.acceptance.both.test_cases import Desk, form_of, office, slack_cards
from tests.acceptance.slack.office import shown as shown_in_slack
from tests.acceptance.teams.test_pressing import shown
from tests.both_products import Both
from tests.servers.slack.people import User

__all__ = ["office"]
NAMES_HER = "Our compliance officer Olga takes bribes from a supplier. What should I do?"
NAMES_NOBODY = "My manager takes bribes from a supplier. What should I do?"
NOBODY = "I have passed nothing on"


async def reported_in_slack(desk: Desk, who: User, words: str, note: str = "") -> str:
    """Report something directly in Slack, press, send the form, and return what is said to it."""
    slack = desk.run.slack
    said = await slack.people.say(who, slack.workspace.direct(who), words)
    await desk.run.quiet()
    answer = slack.checks.one_answer(said.message)
    form = await form_of(slack, who, answer, "escalate_open")
    assert "Deal, counterparty" not in shown_in_slack(form)
    await slack.presses.submit(who, form, {"without": {"value": note}} if note else {})
    await desk.run.quiet()
    return shown_in_slack(form)


@pytest.mark.parametrize(("words", "note"), [(NAMES_HER, ""), (NAMES_NOBODY, "Olga O.")])
async def test_in_slack_it_is_passed_to_no_officer_whom_it_names(
    office: Desk, words: str, note: str
) -> None:
    """She is the only officer: nothing goes to her, and the reporter is told where else to turn."""
    anna = office.run.slack.workspace.user("anna")
    assert NOBODY in await reported_in_slack(office, anna, words, note)
    assert slack_cards(office.run.slack, office.own) == []
    assert slack_cards(office.run.slack, office.desk) == []


async def test_in_teams_it_is_passed_to_no_officer_whom_it_names(office: Desk) -> None:
    """The same, with what the form held."""
    _, pointer = await office.asked(NAMES_NOBODY)
    assert NOBODY in await office.sent(pointer, "She shares them with Olga from Compliance.")
    assert slack_cards(office.run.slack, office.own) == []


TELLS = "My manager takes bribes from hauliers. What should I do?"
HARMLESS = "What is the limit for gifts that employees accept from business partners?"


async def held(run: Both) -> set[str]:
    """Return which tables hold words; the record is what officers read in SQL."""
    places = {
        "audit": ("audit.content", "body"),
        "inbox": ("citebound.inbox", "text || raw::text"),
        "questions": ("citebound.questions", "text || standalone || context::text"),
        "answers": ("citebound.answers", "text || trace::text"),
        "steps": ("citebound.trace_steps", "detail::text"),
        "outbox": ("citebound.outbox", "reply::text"),
    }
    found = await run.rows(
        " UNION ".join(
            f"SELECT '{name}' AS t FROM {table} WHERE {column} LIKE '%hauliers%'"  # noqa: S608
            for name, (table, column) in places.items()
        )
    )
    return {str(row["t"]) for row in found}


async def test_in_slack_the_words_of_a_report_go_with_its_message(office: Desk) -> None:
    """No record has them, not even of what its teller adds; once deleted they are nowhere."""
    slack, run = office.run.slack, office.run
    anna = slack.workspace.user("anna")
    place = slack.workspace.direct(anna)
    first = await slack.people.say(anna, place, TELLS)
    await run.quiet()
    assert await held(run) == {"inbox", "questions"}
    reply = slack.checks.one_answer(first.message)
    assert "Compliance officers cannot read what you wrote" in reply.text
    added = await slack.people.say(
        anna, place, "It was on Monday with hauliers from Ghent.", thread=first.message
    )
    await run.quiet()
    assert "audit" not in await held(run)
    for said in (first, added):
        await slack.people.delete(said.message)
        await run.quiet()
    assert await held(run) == set()


async def test_in_teams_the_words_of_a_report_go_with_its_message(office: Desk) -> None:
    """The same, where it was written in a channel."""
    run = office.run
    said = await run.teams.people.mention(office.anna, office.room, TELLS)
    await run.quiet()
    assert await held(run) == {"inbox", "questions"}
    await run.teams.people.delete(said)
    await run.quiet()
    assert await held(run) == set()


async def test_what_was_passed_on_stays_with_its_case(office: Desk) -> None:
    """For those who handle it; the record has neither report nor note nor the officer's reply."""
    said = await office.run.teams.people.mention(office.anna, office.room, TELLS)
    await office.run.quiet()
    (pointer,) = office.run.teams.checks.replies(said.message)
    await office.sent(pointer, "The hauliers of Ghent.")
    (card,) = slack_cards(office.run.slack, office.own)
    assert "hauliers" in shown_in_slack(card)
    await office.answered(card, "We take up the hauliers.")
    await office.run.teams.people.delete(said)
    await office.run.quiet()
    assert "questions" in await held(office.run)
    assert "audit" not in await held(office.run)


async def test_in_slack_a_report_typed_by_editing_draws_no_public_line(office: Desk) -> None:
    """It is answered as a new one is: its writer alone sees anything."""
    slack, run = office.run.slack, office.run
    anna, ben = slack.workspace.user("anna"), slack.workspace.user("ben")
    room = slack.workspace.channel("general", anna, ben)
    said = await slack.people.mention(anna, room, HARMLESS)
    await run.quiet()
    before = len(slack.checks.seen_by(ben.id))
    named = f"<@{slack.workspace.app.bot_user}> "
    await slack.people.edit(said.message, named + TELLS)
    await run.quiet()
    assert "direct message" in slack.checks.seen_by(anna.id)[-1].text
    assert len(slack.checks.seen_by(ben.id)) == before
    assert "audit" not in await held(run)
    await slack.people.delete(said.message)
    await run.quiet()
    assert await held(run) == set()


async def test_in_teams_a_report_typed_by_editing_draws_no_public_line(office: Desk) -> None:
    """The same."""
    teams, run = office.run.teams, office.run
    said = await teams.people.mention(office.anna, office.room, HARMLESS)
    await run.quiet()
    before = len(teams.checks.seen_by(office.ben, office.room))
    await teams.people.edit(said, TELLS)
    await run.quiet()
    assert "direct message" in shown(teams.tenant.by_bot()[-1])
    assert teams.tenant.by_bot()[-1].only_for == office.anna.id
    assert len(teams.checks.seen_by(office.ben, office.room)) == before
    assert "audit" not in await held(run)
