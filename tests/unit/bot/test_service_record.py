"""What is recorded of a service's settings: changes, no secret, nobody's id."""

import json
from pathlib import Path

from bot.app.service_record import service_settings
from core.adapters.postgres.record.services import ServiceSetting
from core.config.settings import Settings

CONFIG = """
[groups]
finance = ["U0ANNA", "U0BEN"]

[channels.C0TREASURY]
jurisdiction = "DE"
audience = ["finance"]
"""
TOKEN = "-".join(("xoxb", "1234", "secret"))


def settings_of(folder: Path, **given: str) -> dict[str, ServiceSetting]:
    """Return what is recorded, with a file of groups and channels."""
    path = folder / "slack.toml"
    path.write_text(given.pop("config", CONFIG))
    environment = {"CITEBOUND_SLACK_CONFIG": str(path), **given}
    return service_settings(Settings.from_environment(environment))


def test_no_secret_and_no_person_is_shown(tmp_path: Path) -> None:
    """Of secrets whether they are set, of people how many there are."""
    officers = [{"login": "ada", "name": "Ada Lovelace", "accounts": ["slack/T1/U0ADA"]}]
    found = settings_of(
        tmp_path,
        SLACK_BOT_TOKEN=TOKEN,
        DATABASE_URL="postgresql://bot:pass-word@db/citebound",
        CITEBOUND_OFFICERS=json.dumps(officers),
    )
    assert found["SLACK_BOT_TOKEN"] == found["DATABASE_URL"] == ServiceSetting(shown="set")
    assert found["CITEBOUND_OFFICERS"].shown == "ada"
    assert found["group:slack/finance"].shown == "2 people"
    scope = ServiceSetting(shown="audience finance; jurisdiction DE")
    assert found["channel:slack/C0TREASURY"] == scope
    kept = repr(found)
    assert not any(part in kept for part in (TOKEN, "pass-word", "U0ANNA", "U0ADA", "Lovelace"))


def test_what_a_file_says_is_compared_though_its_name_stays(tmp_path: Path) -> None:
    """Somebody else in a group of as many people is a change."""
    before = settings_of(tmp_path)
    assert settings_of(tmp_path) == before
    after = settings_of(tmp_path, config=CONFIG.replace("U0BEN", "U0EVE"))
    differs = {key for key in before if before[key] != after[key]}
    assert differs == {"group:slack/finance"}
    assert after["group:slack/finance"].shown == "2 people"
