"""What can be typed to answer recorded questions again, and after a policy has changed."""

from bot.console.options import JSON, command, option, positive

_COMMANDS = "bot.console.commands"
REPLAY = (
    command(
        "replay",
        f"{_COMMANDS}.replay:replay",
        option("record_id", metavar="ID", help="the reference under an answer, or the whole id"),
        option(
            "--today",
            dest="is_today",
            action="store_true",
            help="with today's policies, prompts and model, and say what is different",
        ),
        JSON,
        short="answer a recorded question again",
        text="""Answers with the edition, day, scope, thresholds, searches and model replies of then
and compares every stage. Exit code 0: the same in every byte. 1: not; the first stage that differs
is named. 2: impossible, as the text was erased or other models are installed. Nothing is posted;
that it was replayed is recorded.""",
        examples="""\
  citebound audit replay 7c1a90e4
  citebound audit replay --today 7c1a90e4""",
    ),
    command(
        "affected",
        f"{_COMMANDS}.affected:affected",
        option("--edition", type=positive, metavar="N", help="only what this edition changed"),
        option("--policy", metavar="KEY", help="only what changed in this policy"),
        option(
            "--approve",
            metavar="LOGIN",
            help="tell the askers; LOGIN is the officer in CITEBOUND_OFFICERS who approves",
        ),
        JSON,
        short="past answers that rest on what has changed",
        text="""Compares past answers with the policies now in force, and lists those whose
quotes have changed, are gone, or have changed text around them. With --approve, `serve` and
`work` answer them again: if the answer is the same, that is recorded and nobody is told; if not,
the asker is told in the thread.""",
        examples="""\
  citebound audit affected
  citebound audit affected --edition 7 --policy gifts --json
  citebound audit affected --edition 7 --approve maria""",
    ),
)
"""Commands of the group `audit`."""
