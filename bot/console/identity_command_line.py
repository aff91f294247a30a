"""What can be typed about who pseudonyms stand for."""

from pathlib import Path

from bot.console.options import command, option

_COMMANDS = "bot.console.commands.identity"
IDENTITY = (
    command(
        "identity-key",
        f"{_COMMANDS}:make_key",
        option("file", type=Path, metavar="FILE", help="where the private key is written"),
        short="make the key that identities are sealed to",
        text="""Writes a private key to a new file, and prints the public key for
CITEBOUND_IDENTITY_KEY. From then on it is sealed who a new pseudonym stands for. Run it on a
machine of the officers', where nothing else of Citebound runs, and keep a copy: without the private
key nobody is ever unmasked. A new key opens nothing that was sealed to the one before.""",
        examples="""\
  citebound audit identity-key /media/officers/identity.pem""",
    ),
)
"""Of the group `audit`."""
