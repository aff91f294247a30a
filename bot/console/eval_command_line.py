"""What can be typed about measuring answers."""

import argparse
from pathlib import Path

from bot.console.calibration_command_line import CALIBRATION, chosen_calibration
from bot.console.options import JSON, command, group, option, positive
from bot.console.question_command_line import QUESTIONS
from bot.console.shadow_command_line import SHADOW

_COMMANDS = "bot.console.commands.evaluation"

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
        option(
            "--reasoner",
            group=_HOW,
            choices=("extractive", "claude"),
            help="default: as the settings say",
        ),
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
            type=chosen_calibration,
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
