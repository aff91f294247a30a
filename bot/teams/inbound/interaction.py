"""What somebody pressed, sent or called: ids, and who did it; nothing that it says is believed.

Names, texts and places in a callback are for finding one's way only: what a value stands for is
looked up by its id, within the tenant.

| what | comes as | answered |
|---|---|---|
| `press` | a message with a `value` (`Action.Submit`) | 200 at once; a reply follows |
| `execute` | invoke `adaptiveCard/action` (`Action.Execute`) | by a card, or a line of text |
| `fetch`, `submit` | invokes `task/fetch`, `task/submit` | by a dialog, or a line of text |
| `ask`, `ask_submit` | invokes `composeExtension/…` ("Ask about this message") | the same |
| `feedback`, `feedback_form` | `message/submitAction`, `message/fetchTask` | `{}`, a dialog |
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, TypeAlias

from bot.intake import NotForUs
from bot.json_fields import Object, maybe_object, need_object
from bot.teams.inbound.text_input import html_text
from bot.teams.protocol.action_ids import DO
from bot.teams.protocol.conversations import Location, Reference, location_of, reference_of
from bot.teams.protocol.identity import TeamsIdentity
from bot.teams.protocol.payload import instant, is_id, maybe, need, scalar, words
from core.domain.conversation import ContextMessage, Place, bounded
from core.domain.errors import ContractError
from core.domain.json_value import Json
from core.domain.message import InboundMessage, MessageKind
from core.language.languages import Language

Kind: TypeAlias = Literal[
    "press", "execute", "fetch", "submit", "ask", "ask_submit", "feedback", "feedback_form"
]
INVOKES: Mapping[str, Kind] = {
    "adaptiveCard/action": "execute",
    "task/fetch": "fetch",
    "task/submit": "submit",
    "composeExtension/fetchTask": "ask",
    "composeExtension/submitAction": "ask_submit",
    "message/submitAction": "feedback",
    "message/fetchTask": "feedback_form",
}
FEEDBACK = "feedback"
"""The name of feedback in the table of handlers."""
REACTION, COMMENT = "reaction", "feedbackText"
"""Keys of `values` in feedback: `like` or `dislike`, and what was written."""
MOST_VALUES = 40
LONGEST_VALUE = 8_000
"""Characters of one input: as much as a question."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TeamsInteraction:
    """One press, submit or command."""

    kind: Kind
    """What was done."""
    name: str
    """What it is called in `action_ids`; of feedback `feedback`."""
    dedupe_key: str
    """The same for a repeated delivery."""
    location: Location
    """Where it was done."""
    reference: Reference
    """How to write there."""
    person: str
    """Who did it (`29:…`)."""
    aad: str
    """Directory id of that person; empty if unknown."""
    is_outside: bool
    """True: somebody of another company, or nobody knows."""
    values: Mapping[str, str] = field(default_factory=dict[str, str])
    """Data of the button and what its inputs hold, each as text; lists and objects are left out."""
    message_id: str | None = None
    """The message with the button or the thumbs, or about which is asked; None if not told."""
    quoted: str = ""
    """What the message says about which is asked: somebody's words, without HTML."""
    is_own: bool = False
    """True: that message is known to be of who asks."""
    locale: str = ""
    """What the person's client speaks (`en-GB`); may be empty."""
    language: Language = Language.ENGLISH
    """In which this person is spoken to."""


def parse_submitted(
    activity: Object, location: Location, identity: TeamsIdentity
) -> TeamsInteraction | NotForUs:
    """Return what a card's `Action.Submit` means, which comes as a message.

    Raises:
        ContractError: It lacks what Teams promises.
    """
    data = need_object(activity, "value")
    return _Callback(activity=activity, location=location, identity=identity).read(
        "press", _named(data), data
    )


def parse_invoke(activity: Object, identity: TeamsIdentity) -> TeamsInteraction | NotForUs:
    """Return what an invoke means to us.

    Raises:
        ContractError: It lacks what Teams promises.
    """
    kind = INVOKES.get(maybe(activity, "name"))
    if kind is None:
        return NotForUs(reason="kind")
    if identity.is_bot(need_object(activity, "from")):
        return NotForUs(reason="own")
    value = maybe_object(activity, "value")
    callback = _Callback(activity=activity, location=location_of(activity), identity=identity)
    match kind:
        case "execute":
            action = need_object(value, "action")
            data = maybe_object(action, "data")
            return callback.read(kind, maybe(action, "verb") or _named(data), data)
        case "feedback" | "feedback_form":
            return callback.read(kind, FEEDBACK, _feedback(value))
        case "ask" | "ask_submit":
            data = maybe_object(value, "data")
            return callback.read(kind, _named(data) or maybe(value, "commandId"), data)
        case _:
            data = maybe_object(value, "data")
            return callback.read(kind, _named(data), data)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Callback:
    """What every callback has."""

    activity: Object
    location: Location
    identity: TeamsIdentity

    def read(self, kind: Kind, name: str, data: Object) -> TeamsInteraction:
        """Return the interaction.

        Raises:
            ContractError: Nobody did it, or it has no identity.
        """
        activity = self.activity
        sender = need_object(activity, "from")
        return TeamsInteraction(
            kind=kind,
            name=name,
            dedupe_key=self._key(),
            location=self.location,
            reference=reference_of(activity, self.identity),
            person=need(sender, "id"),
            aad=maybe(sender, "aadObjectId"),
            is_outside=self.identity.is_outside(sender),
            values=_values(data),
            message_id=maybe(self._asked_about(), "id") or maybe(activity, "replyToId") or None,
            quoted=self._quoted(),
            is_own=self._is_own(maybe(sender, "aadObjectId")),
            locale=maybe(activity, "locale"),
        )

    def _key(self) -> str:
        """Return the identity: the activity's id, or else who did what when."""
        conversation, own = self.location.conversation, maybe(self.activity, "id")
        if own:
            return f"teams:{conversation}:{own}"
        sender = need(need_object(self.activity, "from"), "id")
        moment = instant(self.activity, "timestamp").isoformat()
        return f"teams:{conversation}:{maybe(self.activity, 'name')}:{sender}:{moment}"

    def _asked_about(self) -> dict[str, Json]:
        """Return the message on which an action of the message extension was used."""
        return maybe_object(maybe_object(self.activity, "value"), "messagePayload")

    def _is_own(self, aad: str) -> bool:
        author = maybe_object(maybe_object(self._asked_about(), "from"), "user")
        return bool(aad) and maybe(author, "id").lower() == aad.lower()

    def _quoted(self) -> str:
        body = maybe_object(self._asked_about(), "body")
        content = words(body, "content")
        return content.strip() if body.get("contentType") == "text" else html_text(content)


def _named(data: Object) -> str:
    """Return what a button says that it does; `""` for one that is none of ours."""
    return maybe(data, DO)


def _values(data: Object) -> dict[str, str]:
    """Return what the data holds, as text.

    Raises:
        ContractError: It holds more than any card of ours.
    """
    held = {
        key: scalar(value)
        for key, value in data.items()
        if is_id(key) and isinstance(value, str | int | float)
    }
    if len(held) > MOST_VALUES or any(len(value) > LONGEST_VALUE for value in held.values()):
        raise ContractError("expected the inputs of a card of ours, got more")
    return held


def _feedback(value: Object) -> dict[str, Json]:
    """Return the reaction and the comment, which is JSON within JSON."""
    asked = maybe_object(value, "data")
    given = maybe_object(value, "actionValue") or maybe_object(asked, "actionValue")
    text = words(given, "feedback")
    try:
        inner: Json = json.loads(text) if len(text) <= LONGEST_VALUE else {}
    except (ValueError, RecursionError):
        inner = {}
    said = dict(inner) if isinstance(inner, Mapping) else {}
    return {**said, REACTION: words(given, REACTION)}


def asked(
    interaction: TeamsInteraction,
    *,
    place: Place,
    text: str,
    sent_at: datetime,
    kind: MessageKind = MessageKind.MESSAGE,
    message_key: str | None = None,
    is_whispered: bool = False,
    answers: str | None = None,
    about: ContextMessage | None = None,
) -> InboundMessage:
    """Return the message of what somebody pressed or sent.

    Args:
        interaction: what was done.
        place: where it is answered, looked up.
        text: words of ours that were looked up, or what was typed.
        sent_at: when we heard of it, aware, UTC.
        kind: what was done, in our words.
        message_key: its identity, where several presses mean one thing.
        about: the message that is asked about, as the request says it.
        answers: see `InboundMessage.answers`.
        is_whispered: True: nobody else saw what it follows from, and nor may they see the reply.
    """
    facts: dict[str, Json] = {
        "service_url": interaction.reference.service_url,
        "conversation": interaction.location.conversation,
        "scope": interaction.location.scope,
        "bot": interaction.reference.bot,
        "aad": interaction.aad,
        "locale": interaction.locale,
        "is_targeted": is_whispered,
        "is_outside": interaction.is_outside,
    }
    return InboundMessage(
        place=place,
        dedupe_key=interaction.dedupe_key,
        message_key=message_key or interaction.dedupe_key,
        kind=kind,
        answers=answers,
        person=interaction.person,
        text=text,
        sent_at=sent_at,
        raw=facts,
        context=bounded([about] if about else []),
    )
