"""`citebound audit identity-key`: who pseudonyms stand for, and who may know."""

import os
from pathlib import Path

from rich.text import Text

from bot.console.views.terminal import open_terminal
from core.adapters.postgres.engine.identity_key import IdentityKey
from core.domain.errors import UsageError


def make_key(*, file: Path) -> int:
    """Write a new key that nobody else can read, and print its public half; 0."""
    key = IdentityKey.generate()
    try:
        opened = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError as error:
        raise UsageError(f"{file} is there already, and is not overwritten") from error
    except OSError as error:
        raise UsageError(f"{file} can't be written: {error.strerror}") from error
    with os.fdopen(opened, "wb") as written:
        written.write(key.to_pem())
    terminal = open_terminal()
    terminal.show_unwrapped(f"CITEBOUND_IDENTITY_KEY={key.public.text}")
    terminal.remark(Text(f"The private key is in {file}: keep it with the officers, and a copy."))
    return 0
