"""What can be typed about what the badge rests on, among the commands of `citebound eval`."""

from pathlib import Path

from bot.console.options import JSON, calibration_name, command, option, reason


def chosen_calibration(text: str) -> str:
    """Read the name of a calibration, `shipped` or `active`."""
    return text if text in {"shipped", "active"} else calibration_name(text)


_COMMANDS = "bot.console.commands.evaluation"

_OF = option(
    "--of",
    choices=("rules", "models"),
    default="rules",
    help="for drafts of the rules or of a language model (default: rules)",
)
CALIBRATION = (
    command(
        "calibrate",
        f"{_COMMANDS}.calibrate:calibrate",
        option(
            "--runs",
            nargs="+",
            type=Path,
            default=(),
            metavar="FILE",
            help="runs of questions about your own documents, as `eval run` wrote them",
        ),
        _OF,
        option(
            "--name", type=calibration_name, metavar="NAME", help="default: own-... by the time"
        ),
        JSON,
        short="fit what the badge rests on, on labels of your own",
        text="""Fits the probability that an answer is right on labels of this deployment: officers'
verdicts, what askers press below closest passages, and runs of labelled questions. Whole documents
and conversations are held out for the figures. The thresholds are those above which at most 5 % of
the High answers and 15 % of all are wrong, by an exact bound. It takes 200 labels; the exit code is
9 with fewer. Nothing changes before `eval activate`.""",
        examples="""\
  citebound eval calibrate
  citebound eval calibrate --runs runs/own.jsonl --name own/1
  citebound eval calibrate --of models --json""",
    ),
    command(
        "calibration",
        f"{_COMMANDS}.calibrate:calibration",
        option(
            "--runs",
            nargs="+",
            type=Path,
            default=[],
            metavar="FILE",
            help="measure the one in force on these runs, as `eval run` wrote them",
        ),
        _OF,
        JSON,
        short="what the badge rests on, and how good that is",
        text="""Prints which calibration is in force, how good it is on what its fit had not seen
(ECE, Brier, AUROC, coverage at a guaranteed error, by source of the labels), how many labels this
deployment has of the 200 that one of its own takes, and whether today's answers still look like
those of the fit. `--runs` measures it on labelled questions of your own: also the one that the
release comes with, which was fitted elsewhere.""",
        examples="""\
  citebound eval calibration
  citebound eval calibration --runs runs/own.json
  citebound eval calibration --of models --json""",
    ),
    command(
        "activate",
        f"{_COMMANDS}.calibrate:activate",
        option("name", metavar="NAME", help="a calibration; `shipped`: that of this release"),
        _OF,
        option("--reason", type=reason, required=True, metavar="TEXT", help="kept in the record"),
        short="activate a calibration",
        text="""From the next question on, badges rest on this calibration, in all processes. It is
recorded with both calibrations and the reason; earlier answers keep the badge that they were given
with.""",
        examples="""\
  citebound eval activate own/1 --reason "240 labels, ECE .03"
  citebound eval activate shipped --reason "back to the release's\"""",
    ),
)
"""The commands."""
