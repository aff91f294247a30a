"""`citebound teams package`: the zip that Teams installs, for one's own registration."""

import sys
from argparse import Namespace
from pathlib import Path

from bot.teams.manifest.app_manifest import manifest, package
from core.config.settings import Settings
from core.domain.errors import UsageError


def run(arguments: Namespace) -> int:
    """Write the zip, and say what to do with it."""
    app_id: str | None = arguments.app_id
    address: str | None = arguments.url
    if app_id is None or address is None:
        settings = Settings.from_environment()
        app_id = app_id or settings.app_id
        address = address or settings.public_url
    if app_id is None:
        raise UsageError("Teams needs the bot's client id: --app-id ..., or APP_ID")
    if address is None:
        raise UsageError("Teams needs to know where it reaches you: --url https://...")
    made = package(manifest(app_id=app_id, address=address, version=arguments.schema))
    output: Path = arguments.output
    try:
        output.write_bytes(made)
    except OSError as error:
        raise UsageError(
            f"{output} can't be written: {error.strerror}; choose another -o"
        ) from error
    sys.stdout.write(f"{output}: upload it in Teams under Apps > Manage your apps.\n")
    return 0
