"""What can be typed about test questions that are drafted from the policies."""

import argparse
from pathlib import Path

from bot.console.options import JSON, command, group, names, option, positive

_COMMANDS = "bot.console.commands.evaluation.questions"


def _usd(text: str) -> float:
    """Read an amount above 0; `ArgumentTypeError` if there is none."""
    try:
        found = float(text)
    except ValueError:
        found = 0.0
    if not 0 < found < float("inf"):
        raise argparse.ArgumentTypeError(f"expected an amount above 0 like 0.50, got {text!r}")
    return found


QUESTIONS = (
    command(
        "generate",
        f"{_COMMANDS}:generate",
        option(
            "--by",
            choices=("rules", "claude"),
            default="rules",
            help="who words them; default: rules, which need no key",
        ),
        option(
            "--kinds",
            type=names,
            default=frozenset(),
            metavar="A,B",
            help="norm, threshold, deadline, exception, definition, two_policies,"
            " evidence_removed, unanswerable; default: all",
        ),
        option(
            "--policy",
            dest="policies",
            action="append",
            default=[],
            metavar="KEY",
            help="of this policy alone; repeatable",
        ),
        option(
            "--limit",
            type=positive,
            default=60,
            metavar="N",
            help="the first N, kinds and policies taking turns; default: 60",
        ),
        option(
            "--seed",
            type=positive,
            default=1,
            metavar="N",
            help="another number gives other questions; default: 1",
        ),
        option(
            "--budget",
            dest="budget_usd",
            type=_usd,
            metavar="USD",
            help="what Claude may cost at most",
        ),
        option(
            "--dry-run",
            action="store_true",
            help="show the questions, or what Claude would cost; store nothing, ask nobody",
        ),
        option(
            "--out",
            type=Path,
            metavar="FILE",
            help="also write the drafts that wait, as a set for `eval run`",
        ),
        JSON,
        short="draft test questions from your own policies",
        text="""Drafts questions with the passages that answer them, from what the policies in force
say: what one may and must, limits, deadlines, exceptions, terms, two policies at once; the same
without the section that answers; and topics near by that no policy speaks of.

Drafts are stored, and count for nothing until an officer accepts, mends or drops each in the
console, under Questions. `eval questions export` then writes the set. The same command adds
nothing twice, and goes on where it was interrupted.

With `--by claude` Claude writes them from sections: code looks up each quote, and drops what the
section does not say. Each section is paid for once.""",
        examples="""\
  citebound eval generate
  citebound eval generate --kinds deadline,threshold --policy gifts --limit 20 --dry-run
  citebound eval generate --by claude --limit 40 --budget 1.00""",
    ),
    group(
        "questions",
        command(
            "list",
            f"{_COMMANDS}:show_list",
            option(
                "--state",
                choices=("draft", "accepted", "dropped"),
                default="draft",
                help="default: draft, which waits for an officer",
            ),
            JSON,
            short="what was drafted",
            text="""Lists test questions with their numbers; `stale` are those of which a clause
has changed since.""",
            examples="""\
  citebound eval questions list --state accepted""",
        ),
        command(
            "export",
            f"{_COMMANDS}:export",
            option("--out", type=Path, required=True, metavar="FILE", help="the set: JSON lines"),
            option(
                "--drafts",
                action="store_true",
                help="those that nobody accepted yet; a run of them says so",
            ),
            JSON,
            short="the accepted questions as a set for `eval run`",
            text="""Writes the questions that an officer accepted, with where their passages stand
today. Those of which a clause has changed since are left out.""",
            examples="""\
  citebound eval questions export --out own.jsonl
  citebound eval run --questions own.jsonl --policies policies/ --out own.json""",
        ),
        short="test questions that were drafted",
        text="""Lists and exports test questions. Officers accept them in the console.""",
        examples="""\
  citebound eval questions list""",
    ),
)
