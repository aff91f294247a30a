"""What a browser shows after an installation: two plain pages; nothing that came in is in them."""

from collections.abc import Mapping
from urllib.parse import urlencode, urlsplit

HEADERS: dict[str, str] = {
    "Content-Type": "text/html; charset=utf-8",
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'",
}
"""The address of the page holds a code: it is passed on to nobody."""

REASONS: Mapping[str, str] = {
    "access_denied": "Slack was told not to install the app. Nothing was changed.",
    "invalid_browser": "This browser did not begin the installation, or took too long.",
    "invalid_state": "This installation was finished before, or took longer than ten minutes.",
    "missing_code": "Slack sent nothing to finish the installation with.",
    "invalid_code": "Slack no longer takes what it sent to finish the installation with.",
    "not_allowed": "This workspace is not among those that may install the app. Slack was told to"
    " take it out again; whoever runs it can add the workspace to SLACK_WORKSPACES.",
    "unavailable": "Slack or the database can't be reached at the moment.",
}
_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>{title}</title>
<style>body{{font:1.1rem/1.5 system-ui,sans-serif;max-width:34rem;margin:4rem auto;padding:0 1rem}}
</style>
</head>
<body>
<h1>{title}</h1>
<p>{text}</p>
<p><a href="{href}">{link}</a></p>
</body>
</html>
"""


def installed(*, app: str, team: str | None, is_organisation: bool) -> str:
    """Return the page of an app that is installed."""
    text = (
        "Slack's administrators now add it to the workspaces that are to have it."
        if is_organisation
        else "Invite it to a channel and mention it there, or write to it directly."
    )
    places = {"app": app} | ({"team": team} if team else {})
    href = f"https://slack.com/app_redirect?{urlencode(places)}".replace("&", "&amp;")
    return _PAGE.format(title="Installed", text=text, href=href, link="Open it in Slack")


def failed(reason: str, again: str) -> str:
    """Return the page of an installation that failed; a reason that is not ours is not repeated."""
    text = REASONS.get(reason, "Slack did not let the installation finish.")
    return _PAGE.format(title="Not installed", text=text, href=again, link="Try again")


def authorization_url(api_url: str | None) -> str | None:
    """Return where somebody is asked to install the app: beside the API, if that is elsewhere."""
    if api_url is None:
        return None
    parts = urlsplit(api_url)
    return f"{parts.scheme}://{parts.netloc}/oauth/v2/authorize"
