"""What the apps are called and look like: what a platform would not take is refused by name."""

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft4Validator, Draft7Validator
from PIL import Image

from bot.manifests.identity import AppIdentity, read_app_identity
from bot.slack.manifest import manifest as slack_manifest
from bot.teams.manifest import VERSIONS, Version, manifest, package
from core.config.settings import Settings
from core.domain.errors import ConfigError
from core.ports.starters import Starter

APP = "22222222-2222-4222-8222-222222222222"
ADDRESS = "https://citebound.example.com"
WHOLE = """
name = "Policy Desk"
full_name = "Policy Desk of Example"
description = "Answers questions about our policies"
long_description = "It answers questions about our policies, with quotes."
colour = "#aB12Cd"
colour_icon = "colour.png"
outline_icon = "outline.png"
language = "en-gb"

[developer]
name = "Example Ltd"
website = "https://example.com"
privacy = "https://example.com/privacy"
terms = "https://example.com/terms"

[languages.de]
name = "Richtlinien"
description = "Beantwortet Fragen zu unseren Richtlinien"
"""


def picture(side: int, mode: str = "RGBA") -> bytes:
    """Return a PNG."""
    made = io.BytesIO()
    Image.new(mode, (side, side)).save(made, "PNG")
    return made.getvalue()


def read(folder: Path, text: str) -> AppIdentity:
    """Write the file with icons beside it, and read it."""
    (folder / "colour.png").write_bytes(picture(192, "RGB"))
    (folder / "outline.png").write_bytes(picture(32))
    (folder / "app.toml").write_text(text, encoding="utf-8")
    return read_app_identity(Settings(app_config=folder / "app.toml"))


def test_without_a_file_it_is_the_releases() -> None:
    """Names, icons and all."""
    assert read_app_identity(Settings()) == AppIdentity()


@pytest.mark.shared_data
@pytest.mark.parametrize("version", VERSIONS)
def test_both_packages_say_what_the_file_says(
    tmp_path: Path, shared: Path, version: Version
) -> None:
    """And are valid by the platforms' own schemas, with starters and as an agent in Copilot."""
    app = read(tmp_path, WHOLE)
    asked = tuple(
        Starter(starter_id=f"{n}", topic="Gifts and Hospitality", question=question)
        for n, question in enumerate(("Can I accept a gift?", "How soon do I have to claim?"))
    )
    made: Any = manifest(
        app_id=APP, address=ADDRESS, version=version, app=app, starters=asked, is_agent=True
    )
    schema = json.loads((shared / "schemas" / f"teams-manifest-v{version}.schema.json").read_text())
    assert [error.message for error in Draft4Validator(schema).iter_errors(made)] == []
    assert made["name"] == {"short": "Policy Desk", "full": "Policy Desk of Example"}
    assert made["developer"]["privacyUrl"] == "https://example.com/privacy"
    assert made["localizationInfo"]["defaultLanguageTag"] == "en-gb"
    (agent,) = made["copilotAgents"]["customEngineAgents"]
    assert (agent["id"], "copilot" in made["bots"][0]["scopes"]) == (APP, True)
    commands = made["bots"][0]["commandLists"][0]["commands"]
    titles = [one["title"] for one in commands]
    assert len(set(titles)) == len(titles) == 3
    with zipfile.ZipFile(io.BytesIO(package(made, app))) as archive:
        assert archive.read("color.png") == picture(192, "RGB")
        assert archive.read("outline.png") == picture(32)
        german = json.loads(archive.read("de.json"))
    assert german["name.short"] == "Richtlinien"
    assert german["name.full"] == "Policy Desk of Example"
    slack: Any = slack_manifest(address=ADDRESS, app=app, starters=asked)
    schema = json.loads((shared / "schemas" / "slack-manifest.schema.2.0.0.json").read_text())
    assert [error.message for error in Draft7Validator(schema).iter_errors(slack)] == []
    assert slack["display_information"]["name"] == "Policy Desk"
    assert slack["features"]["bot_user"]["display_name"] == "Policy Desk"
    assert slack["display_information"]["background_color"] == "#ab12cd"
    prompts = slack["features"]["agent_view"]["suggested_prompts"]
    assert [one["message"] for one in prompts] == [one.question for one in asked]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (f'name = "{"x" * 31}"', r"name: expected 30 characters at most, got 31"),
        (f'full_name = "{"x" * 101}"', r"full_name: expected 100 characters"),
        (f'description = "{"x" * 81}"', r"description: expected 80 characters"),
        (f'long_description = "{"x" * 4001}"', r"long_description: expected 4000"),
        ('name = ""', r"name: expected a text"),
        ("name = 3", r"name: expected a text"),
        ('name = "a\\u0007b"', r"name: expected no control characters"),
        ('colour = "red"', r"colour: expected a hash and 6 hexadecimal digits, got 'red'"),
        ('colour = "#12345"', r"colour: expected a hash"),
        ('language = "english"', r"expected a tag such as de or de-de"),
        ('[languages."../x"]\nname = "x"', r"expected a tag such as de"),
        (f'[languages.de]\nname = "{"x" * 31}"', r"languages\.de\.name: expected 30"),
        ('[languages.de]\ncolour = "x"', r"languages\.de: unknown colour"),
        (f'[developer]\nname = "{"x" * 33}"', r"developer\.name: expected 32"),
        ('[developer]\nprivacy = "http://example.com"', r"developer\.privacy: .* https://"),
        ('[developer]\nterms = "https://a@example.com"', r"developer\.terms"),
        ('colour_icon = "outline.png"', r"colour_icon: expected 192 x 192 pixels, got 32 x 32"),
        ('outline_icon = "colour.png"', r"outline_icon: expected 32 x 32 pixels, got 192 x 192"),
        ('outline_icon = "app.toml"', r"outline_icon: expected a PNG"),
        ('colour_icon = "gone.png"', r"colour_icon: .* can't be read"),
        ('unheard_of = "x"', r"the file: unknown unheard_of"),
        ("name = ", r"can't be read"),
    ],
)
def test_what_a_platform_would_not_take_is_refused(tmp_path: Path, text: str, told: str) -> None:
    """In one line that names setting and limit."""
    with pytest.raises(ConfigError, match=told) as caught:
        read(tmp_path, text)
    assert str(caught.value).startswith("CITEBOUND_APP_CONFIG: ")
    assert len(str(caught.value).splitlines()) == 1


def test_an_outline_without_transparency_is_refused(tmp_path: Path) -> None:
    """Teams would show a square."""
    (tmp_path / "solid.png").write_bytes(picture(32, "RGB"))
    with pytest.raises(ConfigError, match="outline_icon: expected a transparent background"):
        read(tmp_path, 'outline_icon = "solid.png"')


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ("[1]", "expected a list of questions"),
        ('{"a": 1}', "expected a list in JSON"),
        ('["a?", "b?", "c?", "d?", "e?"]', "expected 4 questions at most, got 5"),
        (json.dumps(["x" * 121]), "question 1: expected 120 characters at most, got 121"),
        ("/nowhere/starters.json", "expected a list in JSON"),
        ('["a\\u200b?"]', "invisible characters"),
    ],
)
def test_starters_that_could_not_be_offered_are_refused(given: str, told: str) -> None:
    """At the start, by the name of their setting."""
    with pytest.raises(ConfigError, match=told) as caught:
        Settings(starters=given)
    assert str(caught.value).startswith("CITEBOUND_STARTERS")


def test_starters_of_the_settings_are_read_once_each(tmp_path: Path) -> None:
    """From JSON, or from a file."""
    listed = '["Can I  accept a gift? ", "Can I accept a gift?"]'
    (tmp_path / "starters.json").write_text(listed)
    for given in (listed, str(tmp_path / "starters.json")):
        assert Settings(starters=given).named_starters == ("Can I accept a gift?",)
