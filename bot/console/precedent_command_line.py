"""What can be typed about precedents: answers of officers that are told to others."""

from bot.console.options import JSON, command, day, group, jurisdiction, names, option, positive
from bot.console.options import reason as reason_of

_COMMANDS = "bot.console.commands.precedents"
_NUMBER = option("number", type=positive, metavar="N", help="as `citebound precedent list` has it")
_REASON = option("--reason", type=reason_of, required=True, metavar="TEXT", help="why; recorded")
PRECEDENT = group(
    "precedent",
    command(
        "propose",
        f"{_COMMANDS}:propose",
        option("case", type=positive, metavar="CASE", help="number of the case that was answered"),
        option(
            "--clause",
            dest="clauses",
            action="append",
            required=True,
            metavar="POLICY/SECTION[: WORDS]",
            help="what the answer rests on: a section in force, or words of it; repeatable",
        ),
        option(
            "--question",
            default="",
            metavar="TEXT",
            help="the question as others may ask it, with nothing personal in it; default: in the"
            " words of who asked",
        ),
        option(
            "--wording",
            dest="wordings",
            action="append",
            default=[],
            metavar="TEXT",
            help="the same question in other words; repeatable",
        ),
        option(
            "--scope",
            dest="groups",
            type=names,
            default=frozenset(),
            metavar="G1,G2",
            help="groups whom it may be told to; default: whoever may read all clauses",
        ),
        option(
            "--country",
            dest="countries",
            type=jurisdiction,
            action="append",
            metavar="DE",
            help="country that it is for; repeatable; default: that for which it was asked, else"
            " that of the clauses",
        ),
        option(
            "--everywhere",
            action="store_true",
            help="for all countries, whichever it was asked for",
        ),
        option(
            "--until",
            type=day,
            metavar="DATE",
            help="first day on which it no longer applies; default: a year from now; at most two",
        ),
        JSON,
        short="propose an officer's answer",
        text="""Proposes an officer's answer to a case for reuse, word for word, when others ask
the same question. It rests on clauses: if one of them changes, it is no longer used. It is not
used until another officer approves. The answer is taken as given: if it names anybody, answer
the case again. You act as the user logged in to this machine, who must be listed in
CITEBOUND_OFFICERS.""",
        examples="""\
  citebound precedent propose 12 --clause gifts/2.1
  citebound precedent propose 12 --clause "gifts/2.1: up to EUR 50 per giver" \\
    --question "May a team share a hamper from a customer?" --country DE --until 2027-01-31""",
    ),
    command(
        "approve",
        f"{_COMMANDS}:approve",
        _NUMBER,
        short="approve it for reuse, as a second officer",
        text="""From now on anyone who asks the question gets the answer, with today's date. The
officers who answered the case and proposed it cannot approve it.""",
        examples="""\
  citebound precedent approve 3""",
    ),
    command(
        "refuse",
        f"{_COMMANDS}:refuse",
        _NUMBER,
        _REASON,
        short="decide against it, as a second officer",
        text="It will not be used. Recorded with the reason.",
        examples="""\
  citebound precedent refuse 3 --reason "holds for this customer alone\"""",
    ),
    command(
        "withdraw",
        f"{_COMMANDS}:withdraw",
        _NUMBER,
        _REASON,
        short="stop using it",
        text="Any officer can do this. Answers already given are unchanged. Recorded with the"
        " reason.",
        examples="""\
  citebound precedent withdraw 3 --reason "the limit is under review\"""",
    ),
    command(
        "list",
        f"{_COMMANDS}:list_precedents",
        JSON,
        short="all precedents",
        text="Lists what is proposed, told, or has ended, newest first.",
        examples="""\
  citebound precedent list""",
    ),
    command(
        "show",
        f"{_COMMANDS}:show",
        _NUMBER,
        JSON,
        short="one precedent",
        text="Shows its question, its answer, what it rests on, whom it is for, and who decided.",
        examples="""\
  citebound precedent show 3""",
    ),
    short="officers' answers for reuse",
    text="""A precedent is an officer's answer that another officer has approved for anyone who
asks the same question, word for word.""",
    examples="""\
  citebound precedent propose 12 --clause gifts/2.1
  citebound precedent approve 3""",
)
