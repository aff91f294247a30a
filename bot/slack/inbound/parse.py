"""An event of Slack's becomes a message of ours, or nothing; before `intake`.

- `app_mention`, direct messages: addressed to us.
- A message in a thread may be, if the thread is ours: `Overheard`, and the tables decide.
- A mention comes as `app_mention` and as `message`, and Slack may deliver either alone: both are
  read, and the `message_key` makes them one.
- Bots, workflows and what no person wrote are `Ignored` where addressed to us; what we wrote
  ourselves never is.
- A changed message counts only if a person changed its words: an unfurled link does not. It carries
  the whole message, which is kept in the place of one that has not come yet.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TypeAlias

from bot.intake import NotForUs, Overheard
from bot.json_fields import Object, maybe_object, need_object
from bot.slack.inbound.app_events import EVENTS as OPENING
from bot.slack.inbound.app_events import Disconnected, Opened, parse_disconnected, parse_opened
from bot.slack.inbound.identity import SlackIdentity
from bot.slack.inbound.payload import (
    Quoting,
    instant,
    maybe,
    names,
    names_others,
    need,
    split_quote,
    typed,
)
from bot.small_talk import wants_console, wants_help
from core.domain.conversation import ContextMessage, Place, bounded
from core.domain.json_value import Json
from core.domain.message import EDITED_WITHIN, Ignored, InboundMessage, MessageKind

BY_PEOPLE = frozenset({"file_share", "me_message", "thread_broadcast"})
"""Subtypes that somebody wrote: a question with a file is a question."""


Parsed: TypeAlias = InboundMessage | Ignored | Overheard | NotForUs | Disconnected | Opened


def parse(body: Object, identity: SlackIdentity) -> Parsed:
    """Return what an envelope of the Events API means to us.

    Raises:
        ContractError: It lacks what Slack promises. Sent again it would lack it, too: acknowledge.
    """
    foreign = identity.foreign(body)
    if foreign:
        return NotForUs(reason=foreign)
    event = need_object(body, "event")
    match event.get("type"):
        case "app_mention" | "message":
            return _message(event, _Envelope(body=body, identity=identity))
        case "agent_session_stopped":
            return _stop(event, _Envelope(body=body, identity=identity))
        case "app_uninstalled" | "tokens_revoked":
            return parse_disconnected(body) or NotForUs(reason="event")
        case str() as kind if kind in OPENING:
            return _opened(event, _Envelope(body=body, identity=identity))
        case _:
            return NotForUs(reason="event")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Envelope:
    """What every event of one delivery has in common."""

    body: Object
    identity: SlackIdentity

    @property
    def tenant(self) -> str:
        """See `SlackIdentity.tenant`."""
        return self.identity.tenant

    @property
    def dedupe_key(self) -> str:
        """Identity of the delivery."""
        return f"slack:{self.identity.app_id}:{need(self.body, 'event_id')}"

    def key(self, channel: str, ts: str) -> str:
        """Return the identity of what was written."""
        return f"slack:{self.identity.enterprise or self.tenant}:{channel}:{ts}"

    def place(self, channel: str, ts: str, thread_ts: str, *, is_direct: bool) -> Place:
        """Return where something was written, and where its reply goes."""
        in_thread = thread_ts not in {"", ts}
        return Place(
            platform="slack",
            tenant=self.tenant,
            channel=channel,
            thread=thread_ts or ts,
            mode="direct" if is_direct else "thread" if in_thread else "channel",
        )

    def facts(self, event: Object, channel: str, ts: str) -> dict[str, Json]:
        """Return what posting and the audience check need; no text."""
        return {
            "team": need(self.body, "team_id"),
            "channel": channel,
            "ts": ts,
            "channel_type": maybe(event, "channel_type"),
            "is_shared": self.body.get("is_ext_shared_channel") is True,
            "is_outside": self.identity.is_outside(self.body, event),
            "has_file": _has_file(event),
        }


def _opened(event: Object, envelope: _Envelope) -> Parsed:
    found = parse_opened(
        event,
        team=need(envelope.body, "team_id"),
        tenant=envelope.tenant,
        is_outside=envelope.identity.is_outside(envelope.body, event),
    )
    return found or NotForUs(reason="event")


def _message(event: Object, envelope: _Envelope) -> Parsed:
    match event.get("subtype"):
        case "message_changed":
            return _changed(event, envelope)
        case "message_deleted":
            before = need_object(event, "previous_message")
            return _deleted(event, envelope, before, need(event, "deleted_ts"))
        case "message_replied":
            return NotForUs(reason="unchanged")
        case _:
            return _written(event, envelope)


def _written(event: Object, envelope: _Envelope) -> Parsed:
    bot_user = envelope.identity.bot_user
    if _is_own(event, envelope.identity):
        return NotForUs(reason="own")
    is_direct = _is_direct(event)
    # Slack may deliver either of the two events of a mention alone; the message key makes them one.
    is_named = names(maybe(event, "text"), bot_user)
    is_mention = event["type"] == "app_mention" or is_named
    message = _read(event, envelope, is_direct=is_direct)
    if is_named and event["type"] == "message" and not is_direct and isinstance(message, Ignored):
        return NotForUs(reason="twin")  # its `app_mention` is recorded as ignored
    if is_direct or is_mention:
        return _or_notice(message, is_direct=is_direct)
    if not _in_thread(event):
        return NotForUs(reason="channel")
    return Overheard(message=message, names_others=names_others(maybe(event, "text"), bot_user))


def _or_notice(message: InboundMessage | Ignored, *, is_direct: bool) -> InboundMessage | Ignored:
    """Return the wish to hear how it works, or to sign in, if that is all that was written."""
    if not isinstance(message, InboundMessage) or message.raw.get("is_outside") is True:
        return message  # what is offered there is not for whoever may not ask
    if is_direct and wants_console(message.text):
        return replace(message, kind=MessageKind.SIGN_IN, text="")
    return replace(message, kind=MessageKind.HELP, text="") if wants_help(message.text) else message


def _read(event: Object, envelope: _Envelope, *, is_direct: bool) -> InboundMessage | Ignored:
    channel, ts = need(event, "channel"), need(event, "ts")
    place = envelope.place(channel, ts, maybe(event, "thread_ts"), is_direct=is_direct)
    reason = _why_ignored(event)
    if reason:
        return Ignored(
            place=place,
            dedupe_key=envelope.dedupe_key,
            person=maybe(event, "user") or maybe(event, "bot_id"),
            sent_at=instant(ts),
            reason=reason,
        )
    said = _said(event, envelope.identity)
    return InboundMessage(
        place=place,
        dedupe_key=envelope.dedupe_key,
        message_key=envelope.key(channel, ts),
        person=need(event, "user"),
        text=said.rest,
        sent_at=instant(ts),
        raw=envelope.facts(event, channel, ts),
        context=_quoted(event, said, envelope.identity),
    )


def _said(event: Object, identity: SlackIdentity) -> Quoting:
    return split_quote(typed(maybe(event, "text"), bot_user=identity.bot_user))


def _quoted(event: Object, said: Quoting, identity: SlackIdentity) -> tuple[ContextMessage, ...]:
    """Return what a message quotes, and the messages that it shares."""
    shared = [typed(maybe(one, "text"), bot_user=identity.bot_user) for one in _shared(event)]
    texts = [text for text in (said.quoted, *shared) if text]
    return bounded([ContextMessage(text=text, part="quoted") for text in texts])


def _attached(event: Object) -> list[Object]:
    given = event.get("attachments")
    return [one for one in given if isinstance(one, Mapping)] if isinstance(given, list) else []


def _shared(event: Object) -> list[Object]:
    """Return the attachments that are messages which somebody shares here."""
    return [one for one in _attached(event) if one.get("is_share") is True and maybe(one, "text")]


def _has_file(event: Object) -> bool:
    """Say whether anything is attached that we don't read."""
    return bool(event.get("files")) or len(_attached(event)) > len(_shared(event))


def _changed(event: Object, envelope: _Envelope) -> Parsed:
    """Read an edit; a root that was deleted under its replies comes as one, too."""
    after, before = need_object(event, "message"), maybe_object(event, "previous_message")
    ts = need(after, "ts")
    if after.get("subtype") == "tombstone":
        return _deleted(event, envelope, before, ts)
    if _is_own(after, envelope.identity):
        return NotForUs(reason="own")
    edited_at = maybe(maybe_object(after, "edited"), "ts")
    if not edited_at or edited_at == maybe(maybe_object(before, "edited"), "ts"):
        return NotForUs(reason="unchanged")
    if _why_ignored(after):
        return NotForUs(reason="bot")
    channel = need(event, "channel")
    target = envelope.key(channel, ts)
    where: dict[str, Json] = {"channel": channel, "channel_type": event.get("channel_type")}
    original = _original({**after, **where}, envelope, edited_at=edited_at)
    message = original.message if isinstance(original, Overheard) else original
    edit = InboundMessage(
        place=envelope.place(channel, ts, maybe(after, "thread_ts"), is_direct=_is_direct(event)),
        dedupe_key=envelope.dedupe_key,
        as_original=message if isinstance(message, InboundMessage) else None,
        message_key=f"{target}:edited:{edited_at}",
        target_key=target,
        kind=MessageKind.EDITED,
        person=need(after, "user"),
        text=_said(after, envelope.identity).rest,
        sent_at=instant(edited_at),
        raw=envelope.facts({**event, **after}, channel, ts),
    )
    return replace(original, message=edit) if isinstance(original, Overheard) else edit


def _original(event: Object, envelope: _Envelope, *, edited_at: str) -> Parsed:
    """Return what the message of an edit would be, had it come as it reads now."""
    if instant(edited_at) - instant(need(event, "ts")) > EDITED_WITHIN:
        return NotForUs(reason="unchanged")
    is_named = names(maybe(event, "text"), envelope.identity.bot_user)
    return _written({**event, "type": "app_mention" if is_named else "message"}, envelope)


def _deleted(event: Object, envelope: _Envelope, before: Object, ts: str) -> Parsed:
    if _is_own(before, envelope.identity):
        return NotForUs(reason="own")
    channel = need(event, "channel")
    target = envelope.key(channel, ts)
    return InboundMessage(
        place=envelope.place(channel, ts, maybe(before, "thread_ts"), is_direct=_is_direct(event)),
        dedupe_key=envelope.dedupe_key,
        message_key=f"{target}:deleted",
        target_key=target,
        kind=MessageKind.DELETED,
        person=maybe(before, "user"),
        sent_at=instant(need(event, "event_ts")),
        raw=envelope.facts(event, channel, ts),
    )


def _stop(event: Object, envelope: _Envelope) -> InboundMessage:
    channel, thread_ts = need(event, "channel"), need(event, "thread_ts")
    is_direct = channel.startswith("D")
    return InboundMessage(
        place=Place(
            platform="slack",
            tenant=envelope.tenant,
            channel=channel,
            thread=thread_ts,
            mode="direct" if is_direct else "thread",
        ),
        dedupe_key=envelope.dedupe_key,
        kind=MessageKind.STOP,
        person=need(event, "user"),
        sent_at=instant(need(event, "event_ts")),
        raw=envelope.facts(event, channel, thread_ts),
    )


def is_by_person(message: Object) -> bool:
    """Say whether a person wrote what Slack shows."""
    return _why_ignored(message) is None


def _is_own(event: Object, identity: SlackIdentity) -> bool:
    return event.get("user") == identity.bot_user or event.get("app_id") == identity.app_id


def _is_direct(event: Object) -> bool:
    return event.get("channel_type") == "im" or maybe(event, "channel").startswith("D")


def _in_thread(event: Object) -> bool:
    return maybe(event, "thread_ts") not in {"", maybe(event, "ts")}


def _why_ignored(event: Object) -> str | None:
    """Say why nobody wrote this; None: a person did."""
    if maybe_object(event, "bot_profile").get("is_workflow_bot") is True:
        return "workflow"
    if event.get("bot_id") or event.get("user") == "USLACKBOT":
        return "bot"
    if event.get("app_id"):
        return "app"
    is_other = event.get("subtype") is not None and maybe(event, "subtype") not in BY_PEOPLE
    if is_other or not event.get("user"):
        return "subtype"
    return None
