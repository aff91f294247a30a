"""reactions.*."""

import re

from tests.servers.slack.methods.call import Call
from tests.servers.slack.wire import Json, RefusedError


def add(call: Call) -> Json:
    """Put an emoji under a message."""
    name, bot = _name(call), call.workspace.app.bot_user
    channel = call.writable()
    message = call.workspace.find(channel.id, call.arguments.need("timestamp"))
    if bot in message.reactions.get(name, []):
        raise RefusedError("already_reacted")
    message.reactions.setdefault(name, []).append(bot)
    return {"ok": True}


def remove(call: Call) -> Json:
    """Take it away."""
    name, bot = _name(call), call.workspace.app.bot_user
    channel = call.writable()
    message = call.workspace.find(channel.id, call.arguments.need("timestamp"))
    if bot not in message.reactions.get(name, []):
        raise RefusedError("no_reaction")
    message.reactions[name].remove(bot)
    if not message.reactions[name]:
        del message.reactions[name]
    return {"ok": True}


def _name(call: Call) -> str:
    name = call.arguments.need("name")
    if not re.fullmatch(r"[a-z0-9_+'-]+(::skin-tone-[2-6])?", name):
        raise RefusedError("invalid_name")
    return name
