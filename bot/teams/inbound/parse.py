"""An activity of Teams becomes a message of ours, or nothing; before `intake`.

- Direct messages, mentions and slash commands: addressed to us.
- What somebody writes in a thread of a channel without naming us reaches us only with
  resource-specific consent: `Overheard`, and whoever has the tables decides. A chat with several
  people is no thread of ours, however often we were asked there: there it may answer what we asked
  back, and no more.
- A card's button comes as a message with a `value`: an `TeamsInteraction`, never a question.
- Bots are `Ignored` where addressed to us; what we wrote ourselves never is.
- An edit keeps the message's id; its instant makes the delivery another one.
"""

from dataclasses import replace
from datetime import UTC, datetime
from typing import TypeAlias

from bot.intake import NotForUs, Overheard
from bot.json_fields import Object, maybe_object, need_object
from bot.small_talk import wants_console, wants_help
from bot.teams.inbound.interaction import TeamsInteraction, parse_submitted
from bot.teams.inbound.membership_events import EVENTS as MEETING
from bot.teams.inbound.membership_events import Changed, Met, Parted, parse_met
from bot.teams.inbound.text_input import clean_text, names_bot, names_others, quotes_of
from bot.teams.protocol.conversations import Location, location_of
from bot.teams.protocol.identity import TeamsIdentity
from bot.teams.protocol.payload import instant, maybe, need, objects, words
from core.domain.conversation import ContextMessage, bounded
from core.domain.json_value import Json
from core.domain.message import EDITED_WITHIN, Ignored, InboundMessage, MessageKind

NO_FILES = frozenset({"text/html", "messageReference", "forwardedMessageReference"})
"""Attachments that are words: those of the message once more, and what it quotes."""
_MILLIS = 13
"""Digits of an instant in milliseconds, from 2001 to 2286."""
ASK = ("/ask ", "ask ")
"""The command in front of a question, which is no part of it."""


Parsed: TypeAlias = (
    InboundMessage | Ignored | Overheard | NotForUs | TeamsInteraction | Met | Parted | Changed
)


def parse(activity: Object, identity: TeamsIdentity) -> Parsed:
    """Return what an activity means to us; invokes are read by `interaction.parse_invoke`.

    Raises:
        ContractError: It lacks what Teams promises. Sent again it would lack it, too.
    """
    match activity.get("type"):
        case "message":
            return _message(activity, identity)
        case "messageUpdate":
            return _changed(activity, identity)
        case "messageDelete":
            return _deleted(activity, identity)
        case str() as kind if kind in MEETING:
            return parse_met(activity, identity) or NotForUs(reason="event")
        case _:
            return NotForUs(reason="kind")


def _message(activity: Object, identity: TeamsIdentity) -> Parsed:
    sender = need_object(activity, "from")
    if identity.is_ours(sender, activity):
        return NotForUs(reason="own")
    location = location_of(activity)
    is_addressed = _is_addressed(activity, location)
    if identity.is_bot(sender):
        return _ignored(activity, location) if is_addressed else NotForUs(reason="bot")
    if is_addressed:
        return _addressed(activity, location, identity)
    if location.scope == "channel" and not location.is_root:
        written = _written(activity, location, identity)
        return Overheard(message=written, names_others=names_others(activity))
    if location.scope == "groupChat" and not isinstance(activity.get("value"), dict):
        written = _written(activity, location, identity)
        return Overheard(message=written, names_others=names_others(activity), is_chat=True)
    return NotForUs(reason="channel" if location.scope == "channel" else "chat")


def _addressed(activity: Object, location: Location, identity: TeamsIdentity) -> Parsed:
    if isinstance(activity.get("value"), dict):
        return parse_submitted(activity, location, identity)
    written = _written(activity, location, identity)
    if written.raw["is_outside"]:
        return written  # what is offered there is not for whoever may not ask
    said = clean_text(activity)
    if location.scope == "personal" and wants_console(said):
        return replace(written, kind=MessageKind.SIGN_IN, text="")
    is_help = (not said or wants_help(said)) and not _has_file(activity)
    return replace(written, kind=MessageKind.HELP, text="") if is_help else written


def _written(activity: Object, location: Location, identity: TeamsIdentity) -> InboundMessage:
    return InboundMessage(
        place=location.place,
        dedupe_key=key_of(activity, location),
        message_key=key_of(activity, location),
        person=need(need_object(activity, "from"), "id"),
        text=_question(clean_text(activity)),
        sent_at=instant(activity, "timestamp"),
        raw=facts(activity, location, identity),
        context=bounded([ContextMessage(text=one, part="quoted") for one in quotes_of(activity)]),
    )


def _ignored(activity: Object, location: Location) -> Ignored:
    return Ignored(
        place=location.place,
        dedupe_key=key_of(activity, location),
        person=maybe(maybe_object(activity, "from"), "id"),
        sent_at=instant(activity, "timestamp"),
        reason="bot",
    )


def _changed(activity: Object, identity: TeamsIdentity) -> Parsed:
    """Read an edit. A message that is taken back and then restored comes as one, too."""
    sender = need_object(activity, "from")
    if identity.is_ours(sender, activity):
        return NotForUs(reason="own")
    if identity.is_bot(sender):
        return NotForUs(reason="bot")
    if maybe(maybe_object(activity, "channelData"), "eventType") == "undeleteMessage":
        return NotForUs(reason="undeleted")
    location = location_of(activity)
    original = _original(activity, location, identity)
    message = original.message if isinstance(original, Overheard) else original
    edit = InboundMessage(
        place=location.place,
        dedupe_key=_again(activity, location),
        as_original=message if isinstance(message, InboundMessage) else None,
        message_key=_again(activity, location),
        target_key=key_of(activity, location),
        kind=MessageKind.EDITED,
        person=need(sender, "id"),
        text=_question(clean_text(activity)),
        sent_at=instant(activity, "timestamp"),
        raw=facts(activity, location, identity),
    )
    return replace(original, message=edit) if isinstance(original, Overheard) else edit


def _original(activity: Object, location: Location, identity: TeamsIdentity) -> Parsed:
    """Return what the message of an edit would be, had it come as it reads now."""
    written_at = _written_at(need(activity, "id"))
    if written_at is not None and instant(activity, "timestamp") - written_at > EDITED_WITHIN:
        return NotForUs(reason="unchanged")
    found = _message({**activity, "value": None}, identity)
    message = found.message if isinstance(found, Overheard) else found
    if not isinstance(message, InboundMessage):
        return NotForUs(reason="unchanged")
    kept = replace(message, dedupe_key=_again(activity, location))
    return replace(found, message=kept) if isinstance(found, Overheard) else kept


def _written_at(message_id: str) -> datetime | None:
    """Return when a message was written, if its id tells: most are milliseconds since 1970."""
    is_instant = message_id.isascii() and message_id.isdecimal() and len(message_id) == _MILLIS
    return datetime.fromtimestamp(int(message_id) / 1000, UTC) if is_instant else None


def _deleted(activity: Object, identity: TeamsIdentity) -> Parsed:
    sender = maybe_object(activity, "from")
    if identity.is_ours(sender, activity):
        return NotForUs(reason="own")
    location = location_of(activity)
    return InboundMessage(
        place=location.place,
        dedupe_key=_again(activity, location),
        message_key=_again(activity, location),
        target_key=key_of(activity, location),
        kind=MessageKind.DELETED,
        person=maybe(sender, "id"),
        sent_at=instant(activity, "timestamp"),
        raw=facts(activity, location, identity),
    )


def key_of(activity: Object, location: Location) -> str:
    """Return the identity of what was written."""
    return f"teams:{location.conversation}:{need(activity, 'id')}"


def _again(activity: Object, location: Location) -> str:
    """Return the identity of an edit or a delete: they have the id of their message."""
    kind, moment = need(activity, "type"), need(activity, "timestamp")
    return f"{key_of(activity, location)}:{kind}:{moment}"


def facts(activity: Object, location: Location, identity: TeamsIdentity) -> dict[str, Json]:
    """Return what posting and the audience check need; no text, no name.

    Raises:
        ContractError: Replies to it would go to an address that is not on the list.
    """
    sender = maybe_object(activity, "from")
    data = maybe_object(activity, "channelData")
    channel = maybe_object(data, "channel")
    return {
        "service_url": identity.service_urls.need(need(activity, "serviceUrl")),
        "conversation": location.conversation,
        "scope": location.scope,
        "activity": maybe(activity, "id"),
        "bot": maybe(maybe_object(activity, "recipient"), "id"),
        "aad": maybe(sender, "aadObjectId"),
        "team": maybe(maybe_object(data, "team"), "id"),
        "channel_type": maybe(channel, "type"),
        "locale": maybe(activity, "locale"),
        "time_zone": time_zone_of(activity),
        "is_targeted": _is_targeted(activity),
        "has_file": _has_file(activity),
        "is_outside": identity.is_outside(sender),
    }


def time_zone_of(activity: Object) -> str:
    """Return the IANA name of who writes' time zone; empty: their client does not say."""
    told = maybe(activity, "localTimezone")
    infos = (one for one in objects(activity, "entities") if one.get("type") == "clientInfo")
    return told or next((maybe(one, "timezone") for one in infos), "")


def _is_addressed(activity: Object, location: Location) -> bool:
    """Say whether something was written to us: a card's button in a chat is, too."""
    is_sent = isinstance(activity.get("value"), dict)
    is_private = location.scope == "personal" or _is_targeted(activity)
    return is_private or is_sent or names_bot(activity)


def _is_targeted(activity: Object) -> bool:
    """Say whether it is a slash command, which nobody else sees."""
    return maybe_object(activity, "recipient").get("isTargeted") is True


def _has_file(activity: Object) -> bool:
    """Say whether anything is attached that we don't read."""
    kinds = {words(one, "contentType") for one in objects(activity, "attachments")}
    return bool(kinds - NO_FILES)


def _question(text: str) -> str:
    """Return a question without the command in front of it."""
    lead = next((one for one in ASK if text.lower().startswith(one)), "")
    return text[len(lead) :].strip()
