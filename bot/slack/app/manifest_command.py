"""`citebound slack manifest`: the manifest of the Slack app, for one's own address."""

import sys
from argparse import Namespace
from pathlib import Path

from bot.slack.manifest.app_manifest import manifest, to_yaml
from core.config.settings import Settings
from core.domain.errors import UsageError


def run(arguments: Namespace) -> int:
    """Print it, or write it to a file."""
    address: str | None = arguments.url
    if address is None and not arguments.uses_sockets:
        address = Settings.from_environment().public_url
    made = to_yaml(manifest(address=address, uses_sockets=arguments.uses_sockets))
    output: Path | None = arguments.output
    if output is None:
        sys.stdout.write(made)
        return 0
    try:
        output.write_text(made, encoding="utf-8")
    except OSError as error:
        raise UsageError(
            f"{output} can't be written: {error.strerror}; choose another -o"
        ) from error
    return 0
