"""The methods of the Web API, by name."""

import json
from collections.abc import Callable

from tests.servers.slack.blocks import blocks_faults, view_faults
from tests.servers.slack.methods import (
    access,
    assistant,
    chat,
    conversations,
    reactions,
    streams,
    usergroups,
    views,
)
from tests.servers.slack.methods.call import Call
from tests.servers.slack.methods.content import unknown_kinds
from tests.servers.slack.wire import Json, RefusedError


def validate_blocks(call: Call) -> Json:
    """Say whether blocks, a message or a view are such as this Slack takes; it posts nothing."""
    given = call.arguments
    named = [name for name in ("blocks", "message", "view") if name in given]
    if len(named) != 1:
        raise RefusedError("invalid_arguments", "must provide exactly one of these")
    held = given.raw(named[0])
    held = json.loads(held) if isinstance(held, str) else held
    told = held if named[0] == "blocks" else held.get("blocks", [])
    faults = view_faults(held, held.get("type")) if named == ["view"] else []
    faults += [] if named == ["view"] else blocks_faults(told, "message")
    faults += unknown_kinds(call, told)
    if faults:
        at = [{"code": "failed_constraint", "message": one, "pointer": "/0"} for one in faults]
        raise RefusedError("invalid_blocks", *faults, errors=at)
    return {"ok": True}


METHODS: dict[str, Callable[[Call], Json]] = {
    "api.test": access.api_test,
    "auth.test": access.auth_test,
    "auth.revoke": access.auth_revoke,
    "apps.connections.open": access.connections_open,
    "oauth.v2.access": access.oauth_access,
    "chat.postMessage": chat.post_message,
    "chat.update": chat.update,
    "chat.delete": chat.delete,
    "chat.postEphemeral": chat.post_ephemeral,
    "chat.getPermalink": chat.get_permalink,
    "chat.startStream": streams.start,
    "chat.appendStream": streams.append,
    "chat.stopStream": streams.stop,
    "assistant.threads.setStatus": assistant.set_status,
    "assistant.threads.setSuggestedPrompts": assistant.set_suggested_prompts,
    "assistant.threads.setTitle": assistant.set_title,
    "agents.sessions.setStatus": assistant.session_status,
    "conversations.info": conversations.info,
    "conversations.members": conversations.members,
    "conversations.replies": conversations.replies,
    "conversations.history": conversations.history,
    "conversations.open": conversations.open_,
    "usergroups.list": usergroups.groups_list,
    "usergroups.users.list": usergroups.users_list,
    "users.info": conversations.user_info,
    "users.list": conversations.user_list,
    "bots.info": conversations.bot_info,
    "users.conversations": conversations.user_conversations,
    "views.open": views.open_,
    "views.update": views.update,
    "views.push": views.push,
    "views.publish": views.publish,
    "reactions.add": reactions.add,
    "reactions.remove": reactions.remove,
    "blocks.validate": validate_blocks,
}
