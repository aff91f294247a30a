"""What somebody pressed, sent or called: ids, and who did it; nothing that it says is believed.

Names, texts and channels in a callback are for finding one's way only: what a value stands for is
looked up by its id, within the workspace.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import Enum
from typing import Literal, TypeAlias

from bot.intake import NotForUs
from bot.json_fields import Object, maybe_object, need_object
from bot.slack.inbound.identity import SlackIdentity
from bot.slack.inbound.payload import maybe, need, typed
from bot.slack.inbound.written import written_of
from core.domain.conversation import ContextMessage, Place, bounded, carried_text
from core.domain.errors import ContractError
from core.domain.json_value import Json
from core.domain.message import InboundMessage, MessageKind
from core.language.languages import Language

Kind: TypeAlias = Literal["press", "submit", "close", "shortcut", "message_shortcut", "command"]
_KINDS: dict[str, Kind] = {
    "block_actions": "press",
    "view_submission": "submit",
    "view_closed": "close",
    "shortcut": "shortcut",
    "message_action": "message_shortcut",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class SlackInteraction:
    """One press, submit, shortcut or command."""

    kind: Kind
    """What was done."""
    name: str
    """`action_id`, `callback_id`, or the command with its slash."""
    dedupe_key: str
    """The same for a repeated delivery."""
    tenant: str
    """See `SlackIdentity.tenant`."""
    team: str
    """Our workspace in which it was done; empty where an organisation's app does not say."""
    person: str
    """Who did it."""
    is_outside: bool
    """True: somebody of another company, or nobody knows."""
    value: str = ""
    """`<id>` or `<id>|<choice>`; what was chosen of a menu; the words of a command."""
    values: Mapping[str, str] = field(default_factory=dict[str, str])
    """Of a submit: block id -> what its input holds; several choices joined by commas."""
    context: str = ""
    """`private_metadata` of the view: ours, but back from a client."""
    channel: str | None = None
    """Where the message is; None in a view."""
    message_ts: str | None = None
    """The message; None in a view and of a command."""
    thread_ts: str | None = None
    """Its thread; None outside of one."""
    is_ephemeral: bool = False
    """The message is one that this person alone sees: only `response_url` changes it."""
    view: str | None = None
    """Id of the view; None in a message."""
    view_hash: str | None = None
    """For an update that must not undo another."""
    quoted: str = ""
    """What the message says on which a shortcut was used: somebody's words."""
    is_own: bool = False
    """True: the person who used the shortcut wrote that message."""
    trigger: str | None = None
    """Opens one view, within 3 s; None of a close."""
    language: Language = Language.ENGLISH
    """In which this person is spoken to; Slack does not tell it with what they did."""
    response_url: str | None = None
    """Good for 5 answers within 30 min; None in a view."""


def parse_interaction(payload: Object, identity: SlackIdentity) -> SlackInteraction | NotForUs:
    """Return what an interaction or a command means to us.

    Raises:
        ContractError: It lacks what Slack promises.
    """
    if "command" in payload:
        return _command(payload, identity)
    kind = _KINDS.get(maybe(payload, "type"))
    team = maybe(maybe_object(payload, "team"), "id")
    foreign = identity.foreign(payload)
    if foreign or kind is None:
        return NotForUs(reason=foreign or "kind")
    user, view = need_object(payload, "user"), maybe_object(payload, "view")
    place = maybe_object(payload, "container")
    message = maybe_object(payload, "message")
    what = _what(kind, payload, identity.tenant)
    return SlackInteraction(
        kind=kind,
        name=what.name,
        dedupe_key=what.key,
        tenant=identity.tenant,
        team=team,
        person=need(user, "id"),
        is_outside=identity.is_outside({}, {"user_team": maybe(user, "team_id")}),
        value=what.value,
        values=_values(view, identity.tenant) if kind == "submit" else {},
        context=maybe(view, "private_metadata"),
        channel=maybe(maybe_object(payload, "channel"), "id") or None,
        message_ts=maybe(place, "message_ts") or maybe(message, "ts") or None,
        thread_ts=maybe(place, "thread_ts") or maybe(message, "thread_ts") or None,
        is_ephemeral=place.get("is_ephemeral") is True,
        view=maybe(view, "id") or None,
        view_hash=maybe(view, "hash") or None,
        quoted=_quoted(kind, message, identity),
        is_own=maybe(message, "user") == maybe(user, "id"),
        trigger=maybe(payload, "trigger_id") or None,
        response_url=maybe(payload, "response_url") or None,
    )


def _quoted(kind: Kind, message: Object, identity: SlackIdentity) -> str:
    is_asked_about = kind == "message_shortcut"
    return typed(maybe(message, "text"), bot_user=identity.bot_user) if is_asked_about else ""


def _command(payload: Object, identity: SlackIdentity) -> SlackInteraction | NotForUs:
    team = maybe(payload, "team_id")
    foreign = identity.foreign(payload)
    if foreign:
        return NotForUs(reason=foreign)
    trigger = need(payload, "trigger_id")
    return SlackInteraction(
        kind="command",
        name=need(payload, "command"),
        dedupe_key=f"slack:{team}:command:{trigger}",
        tenant=identity.tenant,
        team=team,
        person=need(payload, "user_id"),
        is_outside=False,  # a command exists only where the app is installed
        value=typed(maybe(payload, "text"), bot_user=identity.bot_user),
        channel=need(payload, "channel_id"),
        trigger=trigger,
        response_url=maybe(payload, "response_url") or None,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _What:
    name: str
    key: str
    value: str


def _what(kind: Kind, payload: Object, team: str) -> _What:
    """Return the name, the key and the value of what was done."""
    match kind:
        case "press":
            action = _first(payload.get("actions"))
            name = need(action, "action_id")
            key = f"slack:{team}:action:{need(action, 'action_ts')}:{name}"
            return _What(name=name, key=key, value=_held(action))
        case "submit" | "close":
            view = need_object(payload, "view")
            key = f"slack:{team}:view:{need(view, 'id')}"
            return _What(name=maybe(view, "callback_id"), key=key, value="")
        case _:
            key = f"slack:{team}:shortcut:{need(payload, 'trigger_id')}"
            return _What(name=need(payload, "callback_id"), key=key, value="")


def _first(given: Json) -> dict[str, Json]:
    if isinstance(given, list) and given and isinstance(given[0], Mapping):
        return dict(given[0])
    raise ContractError("expected an action in what was pressed")


def _values(view: Object, tenant: str) -> dict[str, str]:
    """Return what the inputs hold: one element in each block; see `written_of` for a formed one."""
    state = maybe_object(maybe_object(view, "state"), "values")
    held: dict[str, str] = {}
    for block_id in state:
        for element in maybe_object(state, block_id).values():
            given: Object = element if isinstance(element, Mapping) else {}
            rich = maybe_object(given, "rich_text_value")
            held[block_id] = written_of(rich, tenant=tenant) if rich else _held(given)
    return held


def _held(element: Object) -> str:
    """Return what an element holds."""
    chosen = element.get("selected_options")
    if isinstance(chosen, list):
        return ",".join(maybe(one, "value") for one in chosen if isinstance(one, Mapping))
    option = maybe_object(element, "selected_option")
    if option:
        return maybe(option, "value")
    return maybe(element, "value") or maybe(element, "selected_user")


ABOUT = "about"
"""Key of `InboundMessage.raw`: channel, thread and `ts` of the message that is asked about."""


class Order(Enum):
    """What `/policy` is told to do."""

    ASK = "ask"
    """Its words are a question."""
    ADMIN = "admin"
    """Show an officer what holds in the channel."""
    MINE = "mine"
    """List what of this person's is still open."""
    HELP = "help"
    """Say how it works."""


def order_of(words: str) -> Order:
    """Return what the words of a command mean; a question may begin with any word but `admin`."""
    first, _, rest = words.strip().partition(" ")
    match first.lower():
        case "" | "help" if not rest.strip():
            return Order.HELP
        case "mine" if not rest.strip():
            return Order.MINE
        case "admin":
            return Order.ADMIN
        case _:
            return Order.ASK


def asked(
    interaction: SlackInteraction,
    *,
    place: Place,
    text: str,
    sent_at: datetime,
    kind: MessageKind = MessageKind.MESSAGE,
    message_key: str | None = None,
    about: Mapping[str, str] | None = None,
    is_whispered: bool = False,
    answers: str | None = None,
) -> InboundMessage:
    """Return the message that an interaction amounts to.

    Args:
        interaction: tells who, and is its identity: a repeated one is the same message.
        place: where the reply goes; of a command the direct conversation.
        text: the question, or the option that was chosen, from our own tables.
        sent_at: when it was pressed, aware, UTC.
        kind: `CHOICE` for an option of a clarification.
        about: what the form of a shortcut carried of the message that is asked about; a client may
            have changed it.
        answers: see `InboundMessage.answers`.
        is_whispered: nobody else saw what it follows from; Slack has no such message, so it is
            False.
        message_key: what can be said once, however often and by whatever it is pressed; None: each
            press counts.
    """
    facts: dict[str, Json] = {
        "team": interaction.team,
        "channel": place.channel,
        "ts": interaction.message_ts,
        "channel_type": "im" if place.mode == "direct" else "",
        "is_shared": False,
        "is_outside": interaction.is_outside,
        "from_channel": interaction.channel,
        "response_url": interaction.response_url,
    }
    if is_whispered:
        facts["is_targeted"] = True
    held = about or {}
    if held.get("c"):
        facts[ABOUT] = {"channel": held["c"], "ts": held.get("ts"), "thread": held.get("t")}
    said = carried_text(held.get("m", ""))
    told = ContextMessage(text=said, part="about", is_own=bool(held.get("o")))
    return InboundMessage(
        place=place,
        dedupe_key=interaction.dedupe_key,
        message_key=message_key,
        kind=kind,
        answers=answers,
        person=interaction.person,
        text=text,
        sent_at=sent_at,
        raw=facts,
        context=bounded([told]),
    )
