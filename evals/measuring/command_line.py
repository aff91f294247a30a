"""What can be typed after `citebound eval`, with its help. Imports nothing heavy."""

import argparse
from pathlib import Path

from bot.console.options import (
    JSON,
    Option,
    calibration_name,
    command,
    day,
    group,
    names,
    option,
    positive,
    reason,
)

_COMMANDS = "evals.measuring.commands"


def _chosen_calibration(text: str) -> str:
    """Read the name of a calibration, `shipped` or `active`."""
    return text if text in {"shipped", "active"} else calibration_name(text)


def _dollars(text: str) -> float:
    """Read an amount above 0."""
    try:
        found = float(text)
    except ValueError:
        found = 0.0
    if not 0 < found < float("inf"):
        raise argparse.ArgumentTypeError(
            f"expected an amount in USD above 0 like 0.50, got {text!r}"
        )
    return found


def _reasoner(group: str) -> Option:
    """Declare who reasons."""
    choices, said = ("extractive", "claude"), "default: as the settings say"
    return option("--reasoner", group=group, choices=choices, help=said)


def _count(text: str) -> int:
    """Read a whole number from 0."""
    if not (text.isascii() and text.isdigit() and len(text) < len("1000000000")):
        raise argparse.ArgumentTypeError(f"expected a whole number from 0, got {text!r}")
    return int(text)


_OF = option(
    "--of",
    choices=("rules", "models"),
    default="rules",
    help="for drafts of the rules or of a language model (default: rules)",
)
_NEW = "what is new"
_WHICH = "which questions"
SHADOW = (
    command(
        "shadow",
        f"{_COMMANDS}.shadow:shadow",
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
        _reasoner(_NEW),
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
            type=_chosen_calibration,
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
QUESTIONS = (
    command(
        "generate",
        f"{_COMMANDS}.questions:generate",
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
            type=_dollars,
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
            f"{_COMMANDS}.questions:show_list",
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
            f"{_COMMANDS}.questions:export",
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
_WHAT = "what is asked"
_HOW = "how it is answered"
EVAL = group(
    "eval",
    command(
        "run",
        f"{_COMMANDS}.evaluate:run",
        option(
            "--questions",
            group=_WHAT,
            type=Path,
            required=True,
            metavar="FILE",
            help="labelled questions: JSON lines, or one JSON array",
        ),
        option(
            "--policies",
            group=_WHAT,
            type=Path,
            metavar="DIR",
            help="of questions without documents; default: ../policies beside FILE",
        ),
        option(
            "--documents",
            group=_WHAT,
            dest="folder",
            type=Path,
            metavar="DIR",
            help="what the documents' paths start from; default: the folder above that of FILE",
        ),
        option(
            "--only",
            group=_WHAT,
            default="*",
            metavar="GLOB",
            help="questions of documents with such a path only",
        ),
        option(
            "--limit",
            group=_WHAT,
            type=positive,
            metavar="N",
            help="N questions from all over the file",
        ),
        option(
            "--ablate",
            group=_WHAT,
            action="store_true",
            help="ask again with the gold sections deleted",
        ),
        option(
            "--rag",
            group=_HOW,
            action=argparse.BooleanOptionalAction,
            default=True,
            help="search document text where the graph does not suffice (default: yes)",
        ),
        _reasoner(_HOW),
        option(
            "--grader",
            group=_HOW,
            choices=("code", "model"),
            default="code",
            help="model: Claude grades beside the code; default: code alone",
        ),
        option(
            "--reader",
            group=_HOW,
            action=argparse.BooleanOptionalAction,
            default=True,
            help="with the local reader (default: yes)",
        ),
        option(
            "--calibration",
            group=_HOW,
            type=_chosen_calibration,
            metavar="NAME",
            help="what badges rest on: a fitted one, `shipped`, or `active`, that in force here;"
            " default: `active` where the policies are those of this deployment, else `shipped`",
        ),
        option(
            "--alone",
            group=_HOW,
            action="store_true",
            help="a database for each document: slower, for figures that are quoted",
        ),
        option(
            "--out",
            type=Path,
            metavar="RUN.json",
            help="default: CITEBOUND_HOME/eval/runs, named after FILE",
        ),
        option(
            "-v",
            "--verbose",
            action="store_true",
            help="show each question as it is finished, with [RAG] where text was searched",
        ),
        JSON,
        short="ask a question set, and grade it",
        text="""Asks labelled questions, grades each answer, and prints how many passed (right, and
quoted in full; or rightly not answered), by kind and by difficulty, what the confidence is worth,
how well citations meet the labels, and what it cost. Each finished question is a line of RUN.jsonl;
whoever is interrupted repeats the command, which goes on. RUN.json has it all, with versions,
settings and commit.

A line is a JSON object. Of questions about a set of policies:

  {"question": "May I accept cash?", "expected": ["answered"], "kind": "graph",
   "difficulty": "easy", "gold": [{"policy": "gifts", "section": "4.2"}],
   "must_quote": ["must not accept cash"], "expected_facts": ["EUR 100"]}

Of questions about one document each, which is ingested alone:

  {"document": "policies/gifts.pdf", "question": "May I accept cash?",
   "expected_outcome": "answered", "gold_quotes": ["Employees must not accept cash."]}

Code grades whatever can be compared. With `--grader model` Claude grades each answer too, right,
partly or wrong: it is printed how often the two agree, and its word counts where expected facts are
not found word for word. What is none of these words is no grade, and counted apart.

`--ablate` asks the answerable ones again without their gold sections: what can no longer be
answered should not be.""",
        examples="""\
  citebound eval run --questions samples/questions/test.jsonl --out before.json
  citebound eval run --questions samples/questions/test.jsonl --ablate --no-rag
  citebound eval run --questions facts.jsonl --reasoner claude --grader model
  citebound eval run --questions train.jsonl --documents . --limit 200 --only '*18f*' --verbose""",
    ),
    command(
        "compare",
        f"{_COMMANDS}.evaluate:compare",
        option("before", type=Path, metavar="A.json", help="a run"),
        option("after", type=Path, metavar="B.json", help="another one"),
        JSON,
        short="two runs side by side",
        text="""Compares two runs of `eval run`, their .json or .jsonl: each rate with the
difference and its 95 % interval (bootstrap, the same each time), marked where it is no chance, and
the questions that changed. Questions that both asked are compared each with itself; runs that share
none, as two samples.""",
        examples="""\
  citebound eval compare before.json after.json
  citebound eval compare run.previous.jsonl run.json --json""",
    ),
    command(
        "report",
        f"{_COMMANDS}.evaluate:report",
        option("run", type=Path, metavar="RUN.json", help="a run"),
        option("-o", dest="output", type=Path, required=True, metavar="PAGE.html", help="the page"),
        short="a run as a page for officers",
        text="""Writes one HTML page that needs nothing else: the figures with their ranges, whether
the confidence is to be trusted, how much could be answered at what price, what is easy and what is
hard, and each question that did not pass. What an answer quotes stands on it: keep it as you keep
the policies.""",
        examples="""\
  citebound eval report run.json -o run.html""",
    ),
    *QUESTIONS,
    *SHADOW,
    *CALIBRATION,
    short="measure answers on your own documents, and calibrate",
    text="""Measures on labelled questions, in a database of its own, and fits what the badge
says.""",
    examples="""\
  citebound eval run --questions samples/questions/test.jsonl
  citebound eval compare before.json after.json
  citebound eval report after.json -o after.html""",
)
