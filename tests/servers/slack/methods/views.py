"""views.*: modals and Home. A trigger id opens one view, within 3 s."""

import zlib
from typing import Any, Literal

from tests.servers.slack.blocks import view_faults, view_size
from tests.servers.slack.methods.call import Call
from tests.servers.slack.methods.content import named, unknown_kinds
from tests.servers.slack.wire import Json, RefusedError, is_object, objects
from tests.servers.slack.workspace import View, Workspace

TRIGGER_LIVES_S = 3.0
MOST_BYTES = 250_000
MOST_STACKED = 3


def open_(call: Call) -> Json:
    """Open a modal. What it holds is looked at before its trigger is used up."""
    _checked(call, call.arguments.raw("view"), "modal")
    user = _use_trigger(call)
    view = new_view(call, user, call.arguments.raw("view"))
    call.workspace.views[view.id] = view
    return _answer(call, view)


def push(call: Call) -> Json:
    """Lay a modal on the one in which the trigger was given out."""
    user = _use_trigger(call)
    below = [one for one in call.workspace.views.values() if one.user == user and one.is_open]
    if not below:
        raise RefusedError("not_found")
    if len(below) >= MOST_STACKED:
        raise RefusedError("push_limit_reached")
    view = new_view(call, user, call.arguments.raw("view"), below=below[-1])
    call.workspace.views[view.id] = view
    return _answer(call, view)


def update(call: Call) -> Json:
    """Change an open modal; with `hash`, only if nobody changed it in between."""
    given = call.arguments
    view = _find(call.workspace, given.text("view_id"), given.text("external_id"))
    if given.text("hash") and given.text("hash") != view.hash:
        raise RefusedError("hash_conflict")
    replace(call, view, given.raw("view"), "modal")
    return _answer(call, view)


def publish(call: Call) -> Json:
    """Show somebody their Home."""
    given = call.arguments
    user = given.need("user_id")
    if user not in call.workspace.users:
        raise RefusedError("invalid_arguments", "user_id")
    home = call.workspace.homes.get(user)
    if home and given.text("hash") and given.text("hash") != home.hash:
        raise RefusedError("hash_conflict")
    if home:
        replace(call, home, given.raw("view"), "home")
    else:
        home = new_view(call, user, given.raw("view"), surface="home")
        call.workspace.homes[user] = home
    return _answer(call, home)


def new_view(
    call: Call,
    user: str,
    given: Any,
    *,
    below: View | None = None,
    surface: Literal["modal", "home"] = "modal",
) -> View:
    """Make a view of what was sent.

    Raises:
        RefusedError: `invalid_arguments`, `view_too_large`, `duplicate_external_id`.
    """
    content = _checked(call, given, surface)
    external = content.get("external_id")
    for one in call.workspace.views.values():
        if external and one.is_open and one.content.get("external_id") == external:
            raise RefusedError("duplicate_external_id")
    number = f"V0{call.workspace.number()}"
    return View(
        id=number,
        content=content,
        user=user,
        hash=_hash(call, content),
        root_id=below.root_id if below else number,
        previous_id=below.id if below else None,
    )


def replace(call: Call, view: View, given: Any, surface: Literal["modal", "home"]) -> None:
    """Put other content into a view."""
    view.content = _checked(call, given, surface)
    view.hash = _hash(call, view.content)


def _checked(call: Call, given: Any, surface: Literal["modal", "home"]) -> Json:
    faults = view_faults(given, surface)
    faults += unknown_kinds(call, given["blocks"]) if not faults and is_object(given) else []
    if faults:
        raise RefusedError("invalid_arguments", *faults)
    assert is_object(given)
    if view_size(given) > MOST_BYTES:
        raise RefusedError("view_too_large")
    return given | {"blocks": named(objects(given["blocks"]), call)}


def _hash(call: Call, content: Json) -> str:
    return f"{call.workspace.new_ts()}.{zlib.crc32(repr(content).encode()):x}"


def _find(workspace: Workspace, view_id: str, external_id: str) -> View:
    for view in workspace.views.values():
        wanted = view.id == view_id or (
            external_id and view.content.get("external_id") == external_id
        )
        if wanted and view.is_open:
            return view
    raise RefusedError("not_found")


def _use_trigger(call: Call) -> str:
    trigger = call.arguments.need("trigger_id")
    if trigger in call.workspace.used_triggers:
        raise RefusedError("exchanged_trigger_id")
    if trigger not in call.workspace.triggers:
        raise RefusedError("invalid_trigger_id")
    given_at, user = call.workspace.triggers[trigger]
    if call.workspace.clock.now() - given_at > TRIGGER_LIVES_S:
        raise RefusedError("expired_trigger_id")
    call.workspace.used_triggers.add(trigger)
    return user


def _answer(call: Call, view: View) -> Json:
    workspace = call.workspace
    return {
        "ok": True,
        "view": view.shown(workspace.team_id, workspace.app.id, workspace.app.bot_id),
    }
