"""The manifest offers what the code handles: no less, and no more; the zip is what Teams takes."""

import ast
import io
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft4Validator
from PIL import Image

from bot import cli
from bot.small_talk import HELP
from bot.teams import manifest as app_manifest
from bot.teams.inbound.interaction import INVOKES
from bot.teams.inbound.parse import ASK, parse
from bot.teams.manifest import VERSIONS, Version, manifest, package, to_json
from core.domain.errors import UsageError
from core.domain.message import InboundMessage, MessageKind
from tests.unit.teams.activities import HOME, mentioned

ROOT = Path(__file__).parents[3]
APP = "22222222-2222-4222-8222-222222222222"
ADDRESS = "https://citebound.example.com"
FILES: dict[Version, str] = {"1.30": "manifest.json", "1.25": "manifest-1.25.json"}


def made(version: Version = "1.30") -> Any:
    return manifest(app_id=APP, address=ADDRESS, version=version)


def icon(name: str) -> bytes:
    """Return an icon as the zip holds it."""
    with zipfile.ZipFile(io.BytesIO(package(made()))) as archive:
        return archive.read(name)


@pytest.mark.parametrize("version", VERSIONS)
def test_the_file_is_what_the_command_builds(version: Version) -> None:
    """Whoever reads it in the repository reads what they would get."""
    written = (ROOT / "deploy" / "teams" / FILES[version]).read_text()
    assert written == to_json(made(version))


@pytest.mark.shared_data
@pytest.mark.parametrize("version", VERSIONS)
def test_it_is_valid_by_microsofts_schema(shared: Path, version: Version) -> None:
    """Both versions; and the schema finds what is wrong."""
    name = f"teams-manifest-v{version}.schema.json"
    schema = json.loads((shared / "schemas" / name).read_text())
    check = Draft4Validator(schema)
    assert [error.message for error in check.iter_errors(made(version))] == []
    spoiled = made(version) | {"unheardOf": 1}
    assert list(check.iter_errors(spoiled))


def test_it_offers_what_is_handled() -> None:
    """Scopes, commands, prompts, the extension and the consent of the table, and none besides."""
    (bot,) = made()["bots"]
    personal, shared_places = bot["commandLists"]
    assert tuple(bot["scopes"]) == app_manifest.SCOPES
    assert {one["title"]: one["description"] for one in shared_places["commands"]} == dict(
        app_manifest.COMMANDS
    )
    assert [one["title"] for one in personal["commands"]] == ["help"]
    (extension,) = made()["composeExtensions"]
    assert [one["id"] for one in extension["commands"]] == [app_manifest.EXTENSION]
    granted = made()["authorization"]["permissions"]["resourceSpecific"]
    assert tuple(one["name"] for one in granted) == app_manifest.CONSENT
    assert len(bot["commandLists"]) <= 3
    assert all(len(one["commands"]) <= 12 for one in bot["commandLists"])


def test_every_command_is_read_and_no_other() -> None:
    """Help alone, with or without a slash, is answered; what stands before a question is cut."""
    assert {one.strip().removeprefix("/") for one in (*HELP, *ASK)} == {*app_manifest.COMMANDS}
    for word in ("help", "/help"):
        found = parse(mentioned(word, scope="channel"), HOME)
        assert isinstance(found, InboundMessage)
        assert found.kind is MessageKind.HELP
    for word in ("ask", "/ask"):
        found = parse(mentioned(f"{word} May I?", scope="channel"), HOME)
        assert isinstance(found, InboundMessage)
        assert found.text == "May I?"


def test_every_invoke_is_asked_for() -> None:
    """Those of extensions only because the manifest has one."""
    kinds = {kind for name, kind in INVOKES.items() if name.startswith("composeExtension/")}
    (extension,) = made()["composeExtensions"]
    assert kinds == {"ask", "ask_submit"}
    assert [one["fetchTask"] for one in extension["commands"]] == [True]


def test_the_older_one_is_plain() -> None:
    """Nothing of it needs a newer client."""
    text = to_json(made("1.25"))
    assert not any(word in text for word in ("prompt", "triggers", "supportsTargetedMessages"))


def test_the_extension_is_read_by_its_name() -> None:
    """What the manifest calls it is what the code looks for."""
    tree = ast.parse((ROOT / "bot" / "teams" / "protocol" / "action_ids.py").read_text())
    strings = {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)}
    assert app_manifest.EXTENSION in strings


@pytest.mark.parametrize(("name", "side"), [("color.png", 192), ("outline.png", 32)])
def test_icons_are_pictures_of_their_size(name: str, side: int) -> None:
    """Teams refuses any other."""
    with Image.open(io.BytesIO(icon(name))) as image:
        assert (image.size, image.mode) == ((side, side), "RGBA")
        assert len(image.getcolors(side * side) or ()) > 1


def test_the_outline_is_white_on_nothing() -> None:
    """Teams colours it itself."""
    with Image.open(io.BytesIO(icon("outline.png"))) as image:
        pixels = {colour for _, colour in image.getcolors(32 * 32) or ()}
    assert {one[:3] for one in pixels if isinstance(one, tuple) and one[3]} == {(255, 255, 255)}
    assert (0, 0, 0, 0) in pixels


def test_the_colour_icon_has_no_transparent_corner() -> None:
    """Which Teams refuses."""
    with Image.open(io.BytesIO(icon("color.png"))) as image:
        assert image.getchannel("A").getextrema() == (255, 255)


def test_the_command_builds_the_zip(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Three files, at its top; the same each time."""
    target = tmp_path / "app.zip"
    words = ["teams", "package", "--app-id", APP, "--url", f"{ADDRESS}/", "-o", str(target)]
    words.append("--no-starters")
    assert cli.run(words) == 0
    assert str(target) in capsys.readouterr().out
    with zipfile.ZipFile(target) as archive:
        assert archive.testzip() is None
        assert archive.namelist() == ["manifest.json", "color.png", "outline.png"]
        assert json.loads(archive.read("manifest.json")) == made()
    assert target.read_bytes() == package(made())


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--url", ADDRESS], "--app-id"),
        (["--app-id", APP], "--url"),
        (["--app-id", "bot", "--url", ADDRESS], "client id"),
        (["--app-id", APP, "--url", "http://bot.example.com"], "https only"),
        (["--app-id", APP, "--url", ADDRESS, "-o", "/nowhere/app.zip"], "can't be written"),
    ],
)
def test_what_is_wrong_is_said_in_a_line(
    options: list[str],
    told: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """With what to do about it; and nothing is written."""
    monkeypatch.chdir(tmp_path)
    assert cli.run(["teams", "package", "--no-starters", *options]) == cli.EXIT_USAGE
    shown = capsys.readouterr().err.strip()
    assert told in shown
    assert len(shown.splitlines()) == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "address",
    [
        "",
        "bot.example.com",
        "https://",
        "https://bot.example.com/path",
        "https://me@bot.example.com",
        "https://[bot",
        "https://bot.example.com\n",
    ],
)
def test_an_address_that_teams_would_not_take_is_refused(address: str) -> None:
    """Before anybody uploads it."""
    with pytest.raises(UsageError):
        manifest(app_id=APP, address=address)
