"""auth.*, oauth.*, apps.*: tokens given, rotated, taken; the address of a socket."""

from tests.servers.slack.methods.call import Call
from tests.servers.slack.wire import Json, RefusedError
from tests.servers.slack.workspace import BOT_SCOPES

TOKEN_LIVES_S = 12 * 3600


def api_test(call: Call) -> Json:
    """Answer with what was sent."""
    return {"ok": True, "args": call.arguments.given}


def auth_test(call: Call) -> Json:
    """Say whose token it is."""
    workspace = call.workspace
    told: Json = {"ok": True, "url": f"https://{workspace.domain}.slack.com/", "team": "Home"}
    told |= {"user": "citebound", "team_id": workspace.team_id, "user_id": workspace.app.bot_user}
    told |= {
        "bot_id": workspace.app.bot_id,
        "is_enterprise_install": workspace.knobs.is_org_install,
    }
    return told | ({"enterprise_id": workspace.enterprise_id} if workspace.enterprise_id else {})


def auth_revoke(call: Call) -> Json:
    """Kill the token with which this is called."""
    test = call.arguments.flag("test")
    if call.token and not test:
        call.token.dead = "token_revoked"
    return {"ok": True, "revoked": not test}


def connections_open(call: Call) -> Json:
    """Give out the address of a socket, good for one connection."""
    url = call.base_url.replace("http://", "ws://")
    ticket = f"ticket-{call.workspace.number()}"
    return {"ok": True, "url": f"{url}/link/?ticket={ticket}&app_id={call.workspace.app.id}"}


def oauth_access(call: Call) -> Json:
    """Give out a token for a code, or the next for a refresh token; each counts once."""
    workspace, given = call.workspace, call.arguments
    if given.text("client_id") != workspace.app.client_id:
        raise RefusedError("invalid_client_id")
    if given.text("client_secret") != workspace.app.client_secret:
        raise RefusedError("bad_client_secret")
    if given.text("grant_type") == "refresh_token":
        if workspace.keys.refresh_tokens.pop(given.text("refresh_token"), None) is None:
            raise RefusedError("invalid_refresh_token")
    else:
        code = given.text("code")
        if code in workspace.keys.used_codes:
            raise RefusedError("code_already_used")
        if code not in workspace.keys.codes:
            raise RefusedError("invalid_code")
        workspace.keys.codes.discard(code)
        workspace.keys.used_codes.add(code)
    return _installation(call)


def _installation(call: Call) -> Json:
    workspace = call.workspace
    rotates = workspace.app.rotates_tokens
    token = workspace.issue("bot", BOT_SCOPES, lasts_s=TOKEN_LIVES_S if rotates else None)
    told: Json = {"ok": True, "app_id": workspace.app.id, "access_token": token.value}
    told |= {"authed_user": {"id": "U0INSTALLER"}, "scope": ",".join(sorted(token.scopes))}
    told |= {"token_type": "bot", "bot_user_id": workspace.app.bot_user}
    told |= {
        "team": {"id": workspace.team_id, "name": "Home"},
        "is_enterprise_install": workspace.knobs.is_org_install,
    }
    enterprise = workspace.enterprise_id
    told["enterprise"] = {"id": enterprise, "name": "Org"} if enterprise else None
    if rotates:
        refresh = f"xoxe-1-{workspace.number()}-{workspace.team_id}-fake"
        workspace.keys.refresh_tokens[refresh] = token.value
        told |= {"refresh_token": refresh, "expires_in": TOKEN_LIVES_S}
    return told
