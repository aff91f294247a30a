"""What can be typed about the ledger: seal it, prove it, hand out records of it."""

from pathlib import Path

from bot.console.options import JSON, command, option

_COMMANDS = "bot.console.commands"
LEDGER = (
    command(
        "seal",
        "bot.app.sealing:seal",
        option("--once", dest="is_once", action="store_true", help="seal what waits, and end"),
        short="seal the record every second",
        text="""Gives each record its place in a Merkle tree, signs the tree's root, and keeps the
signed checkpoint in the folders of CITEBOUND_LEDGER_ANCHORS, until SIGTERM. One such process a
deployment, on a host of its own if you can: it alone has the key.""",
        examples="""\
  citebound audit seal
  citebound audit seal --once""",
    ),
    command(
        "verify",
        f"{_COMMANDS}.ledger:verify",
        option(
            "--anchors",
            type=Path,
            action="append",
            metavar="DIR",
            help="a folder of checkpoints, or a file with one, as copied from the officers'"
            " channel; repeatable; default: CITEBOUND_LEDGER_ANCHORS",
        ),
        option("--keys", type=Path, metavar="FILE", help="public keys to trust, one a line"),
        option(
            "--since",
            metavar="SIZE|DATE",
            help="only what was sealed after that many records, or from that day on, UTC",
        ),
        option("--record", metavar="ID", help="one record, with its proof"),
        option(
            "--bundle",
            type=Path,
            metavar="FILE",
            help="a bundle of `audit export` instead of the database",
        ),
        JSON,
        short="prove that nothing was changed",
        text="""Reads every record, and says which was changed, removed, added or moved since it was
sealed: bytes against leaves, leaves against signed roots, roots against the anchors, and what
officers see against the bytes. Exit code 0: intact. 1: not, each problem is named. 2: it could not
be completed, as without a key or an anchor.""",
        examples="""\
  citebound audit verify
  citebound audit verify --anchors /mnt/anchors --keys trusted-keys.txt --json
  citebound audit verify --record 7c1a90e4
  citebound audit verify --bundle gifts.zip --keys trusted-keys.txt""",
    ),
    command(
        "export",
        f"{_COMMANDS}.ledger:export",
        option(
            "--record", metavar="ID", help="one record: its id, or the reference below the reply"
        ),
        option("--case", metavar="ID", help="one case, by its number or id"),
        option("--policy", metavar="KEY", help="answers that cite this policy"),
        option("--since", metavar="DATE", help="first day, as in 2026-01-31"),
        option("--until", metavar="DATE", help="last day"),
        option(
            "-o",
            dest="output",
            type=Path,
            metavar="FILE",
            default="records.zip",
            help="default: records.zip",
        ),
        short="export records with proofs",
        text="""Writes a ZIP with the selected sealed records, their texts, and a proof for each.
The recipient needs only Python, and no access to your systems. It contains personal text.
Recorded.""",
        examples="""\
  citebound audit export --policy gifts --since 2026-01-01 -o gifts.zip
  citebound audit export --record 7c1a90e4""",
    ),
    command(
        "rotate-key",
        f"{_COMMANDS}.ledger:rotate_key",
        option(
            "--to",
            type=Path,
            metavar="FILE",
            help="the new private key (Ed25519, PEM); made where there is none",
        ),
        option(
            "--compromised",
            dest="is_compromised",
            action="store_true",
            help="the old key was stolen: it counts up to the last anchored checkpoint alone",
        ),
        short="switch to another signing key",
        text="""Hands the ledger over to another key: both sign one checkpoint, and the anchors
learn the last checkpoint that the old key is valid for. `audit verify` reports any later
signature by the old key. Recorded. If interrupted, run it again.""",
        examples="""\
  citebound audit rotate-key --to /run/secrets/new-key.pem""",
    ),
    command(
        "rebase",
        f"{_COMMANDS}.ledger:rebase",
        option("--reason", required=True, metavar="TEXT", help="why; it is recorded"),
        short="continue after a restore",
        text="""Where an older backup or a dump was restored, `audit seal` refuses to go on. This
opens a new generation of the ledger, also where a clock was put right. What was lost stays visible:
`audit verify` says since when it is intact, and which record explains the loss.""",
        examples="""\
  citebound audit rebase --reason "restored from the backup of 3 March, ticket 4711\"""",
    ),
)
