"""What can be typed about who pseudonyms stand for, and about what takes two officers."""

from pathlib import Path

from bot.console.options import JSON, OFFICER, command, group, option, reason

_COMMANDS = "bot.console.commands.identity"
_REQUEST = option("request", metavar="REQUEST", help="as `audit request list` shows it")
IDENTITY = (
    group(
        "unmask",
        command(
            "request",
            f"{_COMMANDS}:ask",
            option(
                "record",
                metavar="RECORD",
                help="whose asker is meant: its id, or the reference below the reply",
            ),
            option("--reason", type=reason, required=True, metavar="TEXT", help="why; recorded"),
            option(
                "--basis",
                type=reason,
                required=True,
                metavar="TEXT",
                help="the ground in law or agreement, and the ticket; recorded",
            ),
            OFFICER,
            short="ask who stands behind a record",
            text="""Asks another officer to let you learn who asked a recorded question. The
request expires after 72 hours, and is in the access log for all officers of the unit.""",
            examples="""\
  citebound audit unmask request 0198c0de --reason "threat in the text" --basis "ticket 4711\"""",
        ),
        command(
            "reveal",
            f"{_COMMANDS}:reveal",
            _REQUEST,
            option(
                "--key",
                type=Path,
                required=True,
                metavar="FILE",
                help="the private key that `audit identity-key` wrote",
            ),
            OFFICER,
            JSON,
            short="learn it, once",
            text="""Takes the sealed identity, if another officer has approved your request within
72 hours, and opens it on this machine: the key goes nowhere. It is handed out once, to you, and
recorded.""",
            examples="""\
  citebound audit unmask reveal 0198c0de --key /media/officers/identity.pem""",
        ),
        short="learn who an asker is",
        text="""The identity behind a pseudonym is sealed. Opening it takes two officers, a
reason and the officers' key; each step is recorded.""",
        examples="""\
  citebound audit unmask request 0198c0de --reason "threat in the text" --basis "ticket 4711"
  citebound audit unmask reveal 0198c0df --key /media/officers/identity.pem""",
    ),
    group(
        "request",
        command(
            "list",
            f"{_COMMANDS}:list_requests",
            OFFICER,
            JSON,
            short="what was asked for",
            text="Lists requests for identities and erasures; those that wait come first.",
            examples="""\
  citebound audit request list""",
        ),
        command(
            "approve",
            f"{_COMMANDS}:approve",
            _REQUEST,
            OFFICER,
            short="approve what another officer asks for",
            text="""Gives the officer who asked 72 hours to do it. You cannot approve your own
request. Recorded.""",
            examples="""\
  citebound audit request approve 0198c0de""",
        ),
        command(
            "deny",
            f"{_COMMANDS}:deny",
            _REQUEST,
            OFFICER,
            short="deny it",
            text="Ends the request of another officer. Recorded.",
            examples="""\
  citebound audit request deny 0198c0de""",
        ),
        short="decide on requests that need two officers",
        text="""Identities and erasures take two officers: one asks, another decides, each by their
own login (DATABASE_URL, as `grant-officer` printed it) or in the console.""",
        examples="""\
  citebound audit request list
  citebound audit request approve 0198c0de""",
    ),
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
