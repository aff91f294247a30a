"""What Teams takes of an activity, and what not (platforms, 3.7, 3.9)."""

import json
from typing import Any

from tests.servers.teams.tenant import Conversation
from tests.servers.teams.wire import Json, is_object, objects, refused

LARGEST_BYTES = 100_000
"""Of a message as UTF-16: 413 near there."""
LARGEST_CARD = 28 * 1024
CARD = "application/vnd.microsoft.card.adaptive"
MOST_CITATIONS, LONGEST_NAME, LONGEST_ABSTRACT = 20, 80, 160
MOST_KEYWORDS, LONGEST_KEYWORD = 3, 28
FORMATS = {None, "plain", "markdown", "xml", "extendedmarkdown"}


def check(activity: Json, conversation: Conversation) -> None:
    """Look at an activity as it was sent.

    Raises:
        RefusedError: Teams does not take it.
    """
    size = len(json.dumps(activity, ensure_ascii=False).encode("utf-16-le"))
    if size > LARGEST_BYTES:
        raise refused(413, "MessageSizeTooBig", f"Message size too large: {size} bytes")
    if activity.get("type") not in {"message", "typing"}:
        raise refused(400, "BadSyntax", f"Unknown activity type {activity.get('type')!r}")
    if activity.get("textFormat") not in FORMATS:
        raise refused(400, "BadSyntax", "Unknown textFormat")
    if activity["type"] == "message":
        _not_empty(activity)
    _entities(activity)
    _attachments(activity)
    _actions(activity, conversation)
    data = activity.get("channelData")
    if is_object(data) and "feedbackLoop" in data and "feedbackLoopEnabled" in data:
        raise refused(400, "BadSyntax", "Both feedbackLoop and feedbackLoopEnabled")


def _not_empty(activity: Json) -> None:
    if not (activity.get("text") or activity.get("attachments")):
        raise refused(400, "BadSyntax", "Activity must include non empty 'text' or 'attachments'")


def _entities(activity: Json) -> None:
    entities = objects(activity.get("entities"))
    if any(not one.get("type") for one in entities):
        raise refused(400, "BadSyntax", "An entity has no type")
    roots = [one for one in entities if one["type"] == "https://schema.org/Message"]
    if len(roots) > 1:
        raise refused(400, "BadArgument", "More than one root message entity")
    for root in roots:
        _root(root)
    for one in entities:
        if one["type"] == "mention" and str(one.get("text")) not in str(activity.get("text")):
            raise refused(400, "BadArgument", "A mention's text is not in the message")


def _root(root: Json) -> None:
    if root.get("@type") != "Message" or root.get("@context") != "https://schema.org":
        raise refused(400, "BadArgument", "Expected @type and @context of a root message entity")
    citations = objects(root.get("citation"))
    if len(citations) > MOST_CITATIONS:
        raise refused(400, "BadArgument", f"{len(citations)} citations")
    positions = [one.get("position") for one in citations]
    if not all(isinstance(one, int) for one in positions) or len(set(positions)) < len(positions):
        raise refused(400, "BadArgument", "Positions of citations must be different numbers")
    for one in citations:
        _citation(one, root)


def _citation(citation: Json, root: Json) -> None:
    shown: Any = citation.get("appearance")
    if citation.get("@type") != "Claim" or not is_object(shown):
        raise refused(400, "BadArgument", "A citation has no appearance")
    for key, longest in (("name", LONGEST_NAME), ("abstract", LONGEST_ABSTRACT)):
        told = shown.get(key)
        if not isinstance(told, str) or not told or len(told) > longest:
            raise refused(400, "BadArgument", f"A citation's {key} is missing or too long")
    keywords: list[str] = shown.get("keywords") or []
    if len(keywords) > MOST_KEYWORDS or any(len(one) > LONGEST_KEYWORD for one in keywords):
        raise refused(400, "BadArgument", "Keywords of a citation are too many or too long")
    usage: Any = shown.get("usageInfo")
    if is_object(usage) and not (root.get("@id") and usage.get("name") and usage.get("@id")):
        raise refused(400, "BadArgument", "A citation's usageInfo needs ids and a name")


def _attachments(activity: Json) -> None:
    for one in objects(activity.get("attachments")):
        if one.get("contentType") != CARD:
            raise refused(400, "BadSyntax", "Unknown attachment type")
        card: Any = one.get("content")
        if not is_object(card) or card.get("type") != "AdaptiveCard":
            raise refused(400, "BadSyntax", "Invalid card")
        if len(json.dumps(card, ensure_ascii=False).encode()) > LARGEST_CARD:
            raise refused(413, "MessageSizeTooBig", "Card size too large")


def _actions(activity: Json, conversation: Conversation) -> None:
    suggested: Any = activity.get("suggestedActions")
    if not is_object(suggested):
        return
    actions = objects(suggested.get("actions"))
    if len(actions) > 3 or any(one.get("type") != "imBack" for one in actions):
        raise refused(400, "BadArgument", "Suggested actions: at most 3, of type imBack")
    if conversation.kind != "personal":
        raise refused(400, "BadArgument", "Suggested actions are for personal chats")
