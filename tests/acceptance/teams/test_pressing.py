"""What is pressed in Teams: options, evidence, reports, thumbs; each by whom it is meant for."""

import asyncio
import json

from tests.servers.teams import Conversation, FakeTeams, Message, Person
from tests.servers.teams.sender import Delivery
from tests.servers.teams.wire import Json
from tests.teams_product import Product

QUESTION = "What is the limit for gifts that employees accept from business partners?"
OPEN = "Can I accept gifts?"
ONLY_ASKER = "Only the person who asked can do this."
NOT_READABLE = "You can't see this here. You can ask me the question yourself."


def shown(message: Message) -> str:
    """Return all that a message holds, as text."""
    return json.dumps(message.activity, ensure_ascii=False)


def id_of(message: Message, key: str = "a") -> str:
    """Return the id that the buttons of a message carry."""
    return shown(message).split(f'"{key}": "')[1].split('"')[0]


def dialog(told: Delivery) -> str:
    """Return all that a dialog shows."""
    assert told.status == 200, told
    return json.dumps(told.answer["task"]["value"], ensure_ascii=False)


async def asked(
    served: Product, teams: FakeTeams, question: str = QUESTION
) -> tuple[Person, Person, Conversation, Message]:
    """Let Anna ask in a channel where Ben is, too; return the answer."""
    anna, ben = teams.tenant.person("anna"), teams.tenant.person("ben")
    room = teams.tenant.channel("general", anna, ben)
    said = await teams.people.mention(anna, room, question)
    return anna, ben, room, await served.answer_to(said.message)


async def fetch(
    teams: FakeTeams, person: Person, on: Message, do: str, answer: str, **more: str
) -> Delivery:
    """Press what opens a dialog."""
    data: Json = {"do": do, "a": answer, "msteams": {"type": "task/fetch"}, **more}
    return await teams.people.invoke(person, on, "task/fetch", {"data": data})


async def submit(
    teams: FakeTeams, person: Person, on: Message, do: str, answer: str, **more: str
) -> Delivery:
    """Send a dialog."""
    data: Json = {"do": do, "a": answer, **more}
    return await teams.people.invoke(person, on, "task/submit", {"data": data})


async def test_an_option_answers_the_clarification(teams: FakeTeams, served: Product) -> None:
    """Its button, pressed by the asker, counts once; the card says what was chosen."""
    anna, ben, _, card = await asked(served, teams, OPEN)
    data: Json = {"c": id_of(card, "c"), "o": "0"}
    told = await teams.people.execute(ben, card, "clarify", data)
    assert told.answer["value"] == f"anna asked this. {ONLY_ASKER}"
    first = await teams.people.execute(anna, card, "clarify", data)
    assert "You chose " in json.dumps(first.answer)
    second = await teams.people.execute(anna, card, "clarify", data)
    assert second.status == 200
    await served.quiet()
    kinds = await served.rows("SELECT kind FROM citebound.inbox ORDER BY id")
    assert kinds == [{"kind": "message"}, {"kind": "choice"}]
    assert "anna chose " in shown(card)
    assert "clarify" not in shown(card)
    late = await teams.people.execute(anna, card, "clarify", {**data, "o": "1"})
    assert "settled" in late.answer["value"]


async def test_two_options_at_once_are_one(teams: FakeTeams, served: Product) -> None:
    """The one that counts is shown, whichever it is; whoever pressed is told of the other."""
    anna, _, _, card = await asked(served, teams, OPEN)
    async with asyncio.TaskGroup() as group:
        pressed = [
            group.create_task(
                teams.people.execute(anna, card, "clarify", {"c": id_of(card, "c"), "o": option})
            )
            for option in "01"
        ]
    told = [json.dumps(one.result().answer) for one in pressed]
    (kept,) = await served.rows("SELECT text FROM citebound.inbox WHERE kind = 'choice'")
    (chosen,) = [one for one in told if "You chose" in one]
    assert str(kept["text"]) in chosen
    assert [one for one in told if "settled" in one]


async def test_a_clarification_takes_free_text(teams: FakeTeams, served: Product) -> None:
    """A reply without a mention, in a thread of ours; elsewhere nothing is even kept."""
    anna, _, room, card = await asked(served, teams, OPEN)
    replied = await teams.people.say(anna, room, "from a supplier", thread=card)
    assert replied.delivery.status == 200
    await served.quiet()
    stranger = await teams.people.say(anna, room, "Lunch?")
    await teams.people.say(anna, room, "At noon.", thread=stranger.message)
    await served.quiet()
    texts = await served.rows("SELECT text FROM citebound.inbox ORDER BY id")
    assert [row["text"] for row in texts] == [OPEN, "from a supplier"]


async def test_evidence_opens_to_those_who_may_read(teams: FakeTeams, served: Product) -> None:
    """In a dialog; not to a guest, not by another tenant's or a made-up id."""
    _, ben, room, answer = await asked(served, teams)
    ours = id_of(answer)
    assert "EUR 75" in dialog(await fetch(teams, ben, answer, "evidence", ours))
    guest = teams.tenant.person("guest", user_role="guest")
    room.members.append(guest)
    teams.clock.advance(3)
    assert NOT_READABLE in dialog(await fetch(teams, guest, answer, "evidence", ours))
    other = "01a20150-9bac-7f12-bf88-a8b62a4b4ef1"
    assert NOT_READABLE in dialog(await fetch(teams, ben, answer, "evidence", other))
    for forged in ("", "x" * 300, "'; DROP TABLE citebound.answers; --"):
        told = await fetch(teams, ben, answer, "evidence", forged)
        assert told.status == 200
        assert "EUR 75" not in told.text


async def test_an_answer_shown_elsewhere_is_not_opened(teams: FakeTeams, served: Product) -> None:
    """The id of an answer, sent from another channel, opens nothing."""
    _, ben, _, answer = await asked(served, teams)
    elsewhere = teams.tenant.channel("lunch", ben)
    said = await teams.people.say(ben, elsewhere, "hello")
    told = await fetch(teams, ben, said.message, "evidence", id_of(answer))
    assert NOT_READABLE in dialog(told)


async def test_thumbs_and_reports_are_kept(teams: FakeTeams, served: Product) -> None:
    """Teams takes nothing but an empty object; a double press counts once each."""
    anna, ben, _, answer = await asked(served, teams)
    for person, reaction in ((anna, "like"), (ben, "dislike")):
        told = await teams.people.rate(person, answer, reaction, comment="too long")
        assert (told.status, told.text) == (200, "{}")
    assert "Report" in dialog(await fetch(teams, ben, answer, "report", id_of(answer)))
    report = await submit(teams, ben, answer, "report_submit", id_of(answer), why="stale", txt="x")
    assert "Thank you" in dialog(report)
    again = await teams.sender.again(report)
    assert again.status == 200
    kept = await served.rows("SELECT rating, reason, comment FROM citebound.feedback ORDER BY id")
    assert [(row["rating"], row["reason"]) for row in kept] == [
        ("positive", None),
        ("negative", None),
        ("negative", "stale"),
    ]
    assert kept[0]["comment"] == "too long"


def inputs(told: Delivery) -> Json:
    """Return what the inputs of a dialog hold."""
    body = told.answer["task"]["value"]["card"]["content"]["body"]
    return {one["id"]: one["value"] for one in body if "id" in one and "value" in one}


async def test_what_is_refused_is_not_typed_again(teams: FakeTeams, served: Product) -> None:
    """The dialog stays, with what stands in it and why it was not taken."""
    anna, ben, _, answer = await asked(served, teams)
    ours = id_of(answer)
    told = await submit(teams, ben, answer, "report_submit", ours, txt="It is from 2019.")
    assert "Choose one" in dialog(told)
    assert inputs(told) == {"txt": "It is from 2019."}
    told = await submit(teams, ben, answer, "escalate_submit", ours, note="Mine!", dm="true")
    assert "Only the person who asked can send this" in dialog(told)
    assert (inputs(told)["note"], inputs(told)["dm"]) == ("Mine!", "true")
    outsider = teams.tenant.person("eve")
    data: Json = {"do": "ask_submit", "m": answer.id, "question": "May I?", "where": "thread"}
    value: Json = {"commandId": "askAboutMessage", "data": data}
    name = "composeExtension/submitAction"
    told = await teams.people.invoke(outsider, answer, name, value)
    assert "can't answer there" in dialog(told)
    assert inputs(told) == {"question": "May I?", "where": "thread"}
    told = await teams.people.invoke(anna, answer, name, value | {"data": data | {"question": " "}})
    assert "Please write a question" in dialog(told)
    assert await served.rows("SELECT 1 FROM citebound.feedback") == []
    assert await served.rows("SELECT 1 FROM citebound.cases") == []


async def test_a_thumb_of_a_guest_counts_for_nothing(teams: FakeTeams, served: Product) -> None:
    """Whoever may not read the answer does not judge it."""
    _, _, room, answer = await asked(served, teams)
    guest = teams.tenant.person("guest", user_role="guest")
    room.members.append(guest)
    told = await teams.people.rate(guest, answer, "dislike")
    assert (told.status, told.text) == (200, "{}")
    assert await served.rows("SELECT 1 FROM citebound.feedback") == []


async def test_an_answer_is_removed_by_its_asker_alone(teams: FakeTeams, served: Product) -> None:
    """The record stays; what is pressed on it afterwards does nothing."""
    anna, ben, _, answer = await asked(served, teams)
    ours = id_of(answer)
    told = await teams.people.execute(ben, answer, "remove", {"a": ours})
    assert told.answer["value"] == f"anna asked this. {ONLY_ASKER}"
    told = await teams.people.execute(anna, answer, "remove", {"a": ours})
    assert "removed" in told.answer["value"]
    await served.quiet()
    assert "This answer was removed" in answer.text
    assert "settled" in dialog(await fetch(teams, anna, answer, "evidence", ours))
    told = await teams.people.execute(anna, answer, "remove", {"a": ours})
    assert "already been removed" in told.answer["value"]


async def test_a_question_about_a_message_is_answered(teams: FakeTeams, served: Product) -> None:
    """By the command in the message's menu: in private, or in its thread."""
    anna, ben = teams.tenant.person("anna"), teams.tenant.person("ben")
    room = teams.tenant.channel("general", anna, ben)
    said = await teams.people.say(ben, room, "I got a watch from a supplier.")
    value: Json = {
        "commandId": "askAboutMessage",
        "messagePayload": {
            "id": said.message.id,
            "body": {"contentType": "html", "content": "<p>I got a <b>watch</b>.</p>"},
        },
    }
    opened = await teams.people.invoke(anna, said.message, "composeExtension/fetchTask", value)
    assert "I got a watch." in dialog(opened)
    data: Json = {"do": "ask_submit", "m": said.message.id, "question": QUESTION, "where": "dm"}
    sent = await teams.people.invoke(
        anna, said.message, "composeExtension/submitAction", value | {"data": data}
    )
    assert "direct messages" in dialog(sent)
    await served.quiet()
    own = teams.tenant.personal(anna)
    asked_there, answer = teams.checks.seen_by(anna, own)
    assert asked_there.text == f"You asked: {QUESTION}"
    assert "EUR 75" in answer.text
    teams.checks.nothing_outside(personal=True)
    await teams.people.install(ben, room)
    data["where"] = "thread"
    sent = await teams.people.invoke(
        anna, said.message, "composeExtension/submitAction", value | {"data": data}
    )
    assert "comes in the thread" in dialog(sent)
    await served.quiet()
    asked_there, answer = teams.checks.replies(said.message)
    assert asked_there.text == f"anna asked: {QUESTION}"
    assert "EUR 75" in answer.text
