"""An activity of Teams becomes a message of ours, or nothing; before `intake`.

- Direct messages, mentions and slash commands: addressed to us.
- What somebody writes in a thread of a channel without naming us reaches us only with
  resource-specific consent: `Overheard`, and whoever has the tables decides. A chat with several
  people is no thread of ours, however often we were asked there.
- A card's button comes as a message with a `value`: an `Interaction`, never a question.
- Bots are `Ignored` where addressed to us; what we wrote ourselves never is.
- An edit keeps the message's id; its instant makes the delivery another one.
"""

from dataclasses import dataclass, replace
from typing import TypeAlias

from bot.intake import Overheard
from bot.json_fields import Object, maybe_object, need_object
from bot.small_talk import wants_help
from bot.teams.inbound.interaction import Interaction, NotOurs, parse_submitted
from bot.teams.inbound.membership_events import EVENTS as MEETING
from bot.teams.inbound.membership_events import Changed, Met, Parted, parse_met
from bot.teams.inbound.text_input import clean_text, names_bot, names_others, quotes_of
from bot.teams.protocol.conversations import Spot, spot_of
from bot.teams.protocol.identity import Home
from bot.teams.protocol.payload import instant, maybe, need, objects, words
from core.domain.conversation import ContextMessage, bounded
from core.domain.json_value import Json
from core.domain.message import Ignored, InboundMessage, MessageKind

NO_FILES = frozenset({"text/html", "messageReference", "forwardedMessageReference"})
"""Attachments that are words: those of the message once more, and what it quotes."""
ASK = ("/ask ", "ask ")
"""The command in front of a question, which is no part of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NotForUs:
    """Nothing to keep: it is acknowledged and counted."""

    reason: str
    """Why, in a word: `own`, `channel`, `chat`, `bot`, `undeleted`, `event`, `kind`."""


Parsed: TypeAlias = (
    InboundMessage | Ignored | Overheard | NotForUs | NotOurs | Interaction | Met | Parted | Changed
)


def parse(activity: Object, home: Home) -> Parsed:
    """Return what an activity means to us; invokes are read by `interaction.parse_invoke`.

    Raises:
        ContractError: It lacks what Teams promises. Sent again it would lack it, too.
    """
    match activity.get("type"):
        case "message":
            return _message(activity, home)
        case "messageUpdate":
            return _changed(activity, home)
        case "messageDelete":
            return _deleted(activity, home)
        case str() as kind if kind in MEETING:
            return parse_met(activity, home) or NotForUs(reason="event")
        case _:
            return NotForUs(reason="kind")


def _message(activity: Object, home: Home) -> Parsed:
    sender = need_object(activity, "from")
    if home.is_ours(sender, activity):
        return NotForUs(reason="own")
    spot = spot_of(activity)
    is_addressed = _is_addressed(activity, spot)
    if home.is_bot(sender):
        return _ignored(activity, spot) if is_addressed else NotForUs(reason="bot")
    if is_addressed:
        return _addressed(activity, spot, home)
    if spot.scope == "channel" and not spot.is_root:
        written = _written(activity, spot, home)
        return Overheard(message=written, names_others=names_others(activity))
    return NotForUs(reason="channel" if spot.scope == "channel" else "chat")


def _addressed(activity: Object, spot: Spot, home: Home) -> Parsed:
    if isinstance(activity.get("value"), dict):
        return parse_submitted(activity, spot, home)
    written = _written(activity, spot, home)
    said = clean_text(activity)
    is_help = (not said or wants_help(said)) and not _has_file(activity)
    return replace(written, kind=MessageKind.HELP, text="") if is_help else written


def _written(activity: Object, spot: Spot, home: Home) -> InboundMessage:
    return InboundMessage(
        place=spot.place,
        dedupe_key=key_of(activity, spot),
        message_key=key_of(activity, spot),
        person=need(need_object(activity, "from"), "id"),
        text=_question(clean_text(activity)),
        sent_at=instant(activity, "timestamp"),
        raw=facts(activity, spot, home),
        context=bounded([ContextMessage(text=one, part="quoted") for one in quotes_of(activity)]),
    )


def _ignored(activity: Object, spot: Spot) -> Ignored:
    return Ignored(
        place=spot.place,
        dedupe_key=key_of(activity, spot),
        person=maybe(maybe_object(activity, "from"), "id"),
        sent_at=instant(activity, "timestamp"),
        reason="bot",
    )


def _changed(activity: Object, home: Home) -> Parsed:
    """Read an edit. A message that is taken back and then restored comes as one, too."""
    sender = need_object(activity, "from")
    if home.is_ours(sender, activity):
        return NotForUs(reason="own")
    if home.is_bot(sender):
        return NotForUs(reason="bot")
    if maybe(maybe_object(activity, "channelData"), "eventType") == "undeleteMessage":
        return NotForUs(reason="undeleted")
    spot = spot_of(activity)
    return InboundMessage(
        place=spot.place,
        dedupe_key=_again(activity, spot),
        message_key=_again(activity, spot),
        target_key=key_of(activity, spot),
        kind=MessageKind.EDITED,
        person=need(sender, "id"),
        text=_question(clean_text(activity)),
        sent_at=instant(activity, "timestamp"),
        raw=facts(activity, spot, home),
    )


def _deleted(activity: Object, home: Home) -> Parsed:
    sender = maybe_object(activity, "from")
    if home.is_ours(sender, activity):
        return NotForUs(reason="own")
    spot = spot_of(activity)
    return InboundMessage(
        place=spot.place,
        dedupe_key=_again(activity, spot),
        message_key=_again(activity, spot),
        target_key=key_of(activity, spot),
        kind=MessageKind.DELETED,
        person=maybe(sender, "id"),
        sent_at=instant(activity, "timestamp"),
        raw=facts(activity, spot, home),
    )


def key_of(activity: Object, spot: Spot) -> str:
    """Return the identity of what was written."""
    return f"teams:{spot.conversation}:{need(activity, 'id')}"


def _again(activity: Object, spot: Spot) -> str:
    """Return the identity of an edit or a delete: they have the id of their message."""
    kind, moment = need(activity, "type"), need(activity, "timestamp")
    return f"{key_of(activity, spot)}:{kind}:{moment}"


def facts(activity: Object, spot: Spot, home: Home) -> dict[str, Json]:
    """Return what posting and the audience check need; no text, no name.

    Raises:
        ContractError: Replies to it would go to an address that is not on the list.
    """
    sender = maybe_object(activity, "from")
    data = maybe_object(activity, "channelData")
    channel = maybe_object(data, "channel")
    return {
        "service_url": home.service_urls.need(need(activity, "serviceUrl")),
        "conversation": spot.conversation,
        "scope": spot.scope,
        "activity": maybe(activity, "id"),
        "bot": maybe(maybe_object(activity, "recipient"), "id"),
        "aad": maybe(sender, "aadObjectId"),
        "team": maybe(maybe_object(data, "team"), "id"),
        "channel_type": maybe(channel, "type"),
        "locale": maybe(activity, "locale"),
        "is_targeted": _is_targeted(activity),
        "has_file": _has_file(activity),
        "is_outside": home.is_outside(sender),
    }


def _is_addressed(activity: Object, spot: Spot) -> bool:
    """Say whether something was written to us: a card's button in a chat is, too."""
    is_sent = isinstance(activity.get("value"), dict)
    is_private = spot.scope == "personal" or _is_targeted(activity)
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
