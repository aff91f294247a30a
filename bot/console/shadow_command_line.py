"""What can be typed about trying something new on past questions, before it is switched."""

import argparse
from pathlib import Path

from bot.console.calibration_command_line import chosen_calibration
from bot.console.options import JSON, command, day, option, positive


def _dollars(text: str) -> float:
    """Read an amount above 0."""
    try:
        found = float(text)
    except ValueError:
        found = 0.0
    if not 0 < found < 1e6:  # noqa: PLR2004  # no budget, or no number
        raise argparse.ArgumentTypeError(f"expected an amount in USD above 0, got {text!r}")
    return found


def _count(text: str) -> int:
    """Read a whole number from 0."""
    if not (text.isascii() and text.isdigit() and len(text) < len("1000000000")):
        raise argparse.ArgumentTypeError(f"expected a whole number from 0, got {text!r}")
    return int(text)


_NEW = "what is new"
_WHICH = "which questions"
SHADOW = (
    command(
        "shadow",
        "bot.console.commands.evaluation.shadow:shadow",
        option("--since", group=_WHICH, type=day, required=True, metavar="DATE", help="first day"),
        option("--until", group=_WHICH, type=day, metavar="DATE", help="last day; default: today"),
        option(
            "--sample", group=_WHICH, type=positive, metavar="N", help="N of them, drawn at random"
        ),
        option(
            "--seed",
            group=_WHICH,
            type=positive,
            default=1,
            metavar="S",
            help="for the draw: the same seed draws the same questions (default: 1)",
        ),
        option(
            "--corpus",
            group=_NEW,
            type=Path,
            metavar="DIR",
            help="policies that take the place of the whole corpus",
        ),
        option(
            "--as-of",
            group=_NEW,
            type=day,
            metavar="DATE",
            help="the rules of this day, as of one on which policies come into force",
        ),
        option(
            "--reasoner",
            group=_NEW,
            choices=("extractive", "claude"),
            help="default: as the settings say",
        ),
        option("--model", group=_NEW, metavar="NAME", help="the model that reasons"),
        option(
            "--prompts",
            group=_NEW,
            metavar="VERSION|FILE",
            help="earlier prompts (answer/2), a file or a folder of prompts",
        ),
        option(
            "--calibration",
            group=_NEW,
            type=chosen_calibration,
            metavar="NAME",
            help="a fitted one, or `shipped`; default: that in force",
        ),
        option(
            "--budget",
            type=_dollars,
            metavar="USD",
            help="what language models may cost; needed where one is asked",
        ),
        option(
            "--allow",
            type=_count,
            default=0,
            metavar="N",
            help="questions that may be answered otherwise (default: 0)",
        ),
        option(
            "--out",
            type=Path,
            metavar="FILE.json",
            help="default: CITEBOUND_HOME/eval/runs/shadow-DATE.json",
        ),
        JSON,
        short="past questions by a new corpus, model, prompt or calibration",
        text="""Answers recorded questions with a planned change, and lists which answers would
differ, before you switch. Nothing is posted, no case is opened, no conversation goes on, and
nothing is recorded but who read which questions and that they were compared, with the settings
and counts. Each question keeps the audience, groups and thread of then.

It takes the rights of `audit replay`. Questions whose text was erased are left out and counted.
What differs, and is answered so today as well, is marked: switching changes nothing there.

`--corpus` is ingested into a database of its own that nobody asks, with the audiences of the
deployment, facts read by rules, and removed at the end. `--prompts` takes what CITEBOUND_PROMPTS
takes, which switches them. Where a language model is asked, `--budget`
says what it may cost: a run that has spent it stops, and goes on when it is repeated with more.
Each compared question is a line of FILE.jsonl, so whoever is interrupted repeats the command. The
file holds what people asked: keep it as you keep the record.

Exit code 0: at most --allow questions are answered otherwise. 12: more are, or one contradicts what
was told before. 13: the budget is spent before the end.""",
        examples="""\
  citebound eval shadow --since 2026-06-01 --corpus policies-2027 --as-of 2027-01-01
  citebound eval shadow --since 2026-06-01 --calibration own/2 --allow 20
  citebound eval shadow --since 2026-06-01 --sample 100 --model claude-opus-5-5 --budget 10""",
    ),
)
