"""usergroups.*: the groups that a workspace keeps, and who is in them."""

from tests.servers.slack.methods.call import Call
from tests.servers.slack.people import UserGroup
from tests.servers.slack.wire import Json, RefusedError


def groups_list(call: Call) -> Json:
    """Return the groups of the workspace, those switched off only where they are asked for."""
    _need_team(call)
    wants_off = call.arguments.flag("include_disabled")
    with_users = call.arguments.flag("include_users")
    found = [one for one in call.workspace.user_groups.values() if wants_off or not one.is_off]
    shown = [one.info(call.workspace.team_id, with_users=with_users) for one in found]
    return {"ok": True, "usergroups": shown}


def users_list(call: Call) -> Json:
    """Return who is in a group."""
    _need_team(call)
    group: UserGroup | None = call.workspace.user_groups.get(call.arguments.need("usergroup"))
    if group is None or (group.is_off and not call.arguments.flag("include_disabled")):
        raise RefusedError("no_such_subteam")
    return {"ok": True, "users": list(group.members)}


def _need_team(call: Call) -> None:
    team = call.arguments.text("team_id")
    if call.workspace.knobs.is_org_install and not team:
        raise RefusedError("missing_argument", "team_id")
