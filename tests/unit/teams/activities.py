"""Activities as Teams sends them, to be bent by tests."""

from typing import Any

from bot.teams.protocol.identity import ServiceUrls, TeamsIdentity

Activity = dict[str, Any]
APP, TENANT, FOREIGN = (
    "22222222-2222-4222-8222-222222222222",
    "9c6b3e5a-7b1f-4a0e-9a1e-3f2b7c1d5e88",
    "00000000-dead-4000-8000-000000000000",
)
BOT, ANNA, OTHER_BOT = f"28:{APP}", "29:1anna", "28:other"
AAD = "7faf8f9d-0000-4000-8000-0000000000aa"
SERVICE_URL = "https://smba.trafficmanager.net/emea/"
CHANNEL, CHAT, DIRECT = "19:abc@thread.tacv2", "19:chat@thread.v2", "a:1direct"
ROOT, REPLY = "1700000000000", "1700000000001"
TEAM = "19:team@thread.tacv2"

HOME = TeamsIdentity(app_id=APP, tenants=frozenset({TENANT}), service_urls=ServiceUrls())


def mention(who: str = BOT, name: str = "Citebound", **more: Any) -> dict[str, Any]:
    """Return the entity of a mention."""
    held = {"type": "mention", "text": f"<at>{name}</at>", "mentioned": {"id": who, "name": name}}
    return held | more


def message(text: str = "May I take a gift?", *, scope: str = "personal", **more: Any) -> Activity:
    """Return a message of Anna's; in a channel it begins a thread."""
    conversation: dict[str, Any] = {
        "personal": {"id": DIRECT, "conversationType": "personal", "tenantId": TENANT},
        "groupChat": {
            "id": CHAT,
            "conversationType": "groupChat",
            "isGroup": True,
            "tenantId": TENANT,
        },
        "channel": {
            "id": f"{CHANNEL};messageid={ROOT}",
            "conversationType": "channel",
            "isGroup": True,
            "tenantId": TENANT,
        },
    }[scope]
    data: dict[str, Any] = {"tenant": {"id": TENANT}}
    if scope == "channel":
        data |= {"team": {"id": TEAM}, "channel": {"id": CHANNEL}}
    activity: Activity = {
        "type": "message",
        "id": ROOT,
        "timestamp": "2026-11-20T09:00:00.1234567Z",
        "localTimestamp": "2026-11-20T10:00:00.1234567+01:00",
        "serviceUrl": SERVICE_URL,
        "channelId": "msteams",
        "from": {"id": ANNA, "name": "Anna Example", "aadObjectId": AAD},
        "conversation": conversation,
        "recipient": {"id": BOT, "name": "Citebound"},
        "textFormat": "plain",
        "locale": "en-GB",
        "text": text,
        "entities": [],
        "channelData": data,
    }
    return activity | more


def mentioned(text: str = "May I take a gift?", *, scope: str, **more: Any) -> Activity:
    """Return a message that names us first."""
    return message(f"<at>Citebound</at> {text}", scope=scope, entities=[mention()], **more)
