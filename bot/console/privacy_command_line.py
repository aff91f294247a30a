"""What can be typed about personal text in the record: erase it, hold it, keep it no longer."""

from bot.console.options import JSON, command, day, group, option, positive, reason

_COMMANDS = "bot.console.commands.privacy"
_APPROVER = option(
    "--approver", metavar="NAME", help="another officer of the unit, who has agreed; recorded"
)
_BASIS = option(
    "--basis", type=reason, metavar="TEXT", help="the ground in law, and the ticket; recorded"
)
_APPLY = option(
    "--apply", dest="is_applied", action="store_true", help="do it; without it, only say what"
)
_REASON = option("--reason", type=reason, required=True, metavar="TEXT", help="why; recorded")
PRIVACY = (
    command(
        "erase",
        f"{_COMMANDS}:erase",
        option("--asker", metavar="P", is_either=True, help="all texts of a person, by pseudonym"),
        option("--record", metavar="ID", is_either=True, help="those of one record's question"),
        _BASIS,
        _APPROVER,
        _APPLY,
        JSON,
        short="erase personal text",
        text="""Deletes the texts of a person, or of one question, with what repeats them: question,
answer, notes, traces, replies of models, platforms' ids, and the person's pseudonym. The records
stay, with commitments that reveal nothing, and every proof stays valid. Without --apply it says
what would go. It takes a basis and the name of another officer who agrees, and is recorded. What is
held, or not finished yet, is refused by name. The pseudonym of somebody who asks for it stands in
the record whose ID is under each of their answers. What Slack and Teams show is deleted there.""",
        examples="""\
  citebound audit erase --asker p-1f0c2b7d9e4a6b85
  citebound audit erase --asker p-1f0c2b7d9e4a6b85 --basis "GDPR Art. 17, ticket 4711" \\
    --approver grace --apply
  citebound audit erase --record 0198c0de --basis "ticket 4712" --approver grace --apply""",
    ),
    command(
        "retain",
        f"{_COMMANDS}:retain",
        option(
            "--older-than",
            dest="days",
            type=positive,
            metavar="DAYS",
            help="texts of records so old",
        ),
        option(
            "--places",
            dest="only_places",
            action="store_true",
            help="only platforms' ids: of channels, threads and messages",
        ),
        _BASIS,
        _APPROVER,
        _APPLY,
        JSON,
        short="keep old texts no longer",
        text="""Deletes the texts of all records that are older, as `erase` does, but for those that
are held or not finished. Without --apply it says what would go, and what stays and why.""",
        examples="""\
  citebound audit retain --older-than 1095
  citebound audit retain --older-than 1095 --basis "schedule 3" --approver grace --apply
  citebound audit retain --older-than 30 --places --basis "schedule 3" --approver grace --apply""",
    ),
    group(
        "hold",
        command(
            "place",
            f"{_COMMANDS}:place_hold",
            option("--asker", metavar="P", help="what belongs to a person, by pseudonym"),
            option("--case", type=positive, metavar="N", help="what belongs to a case"),
            option("--policy", metavar="KEY", help="questions whose answers cite a policy"),
            option("--since", type=day, metavar="DATE", help="from this day, UTC"),
            option("--until", type=day, metavar="DATE", help="up to and with this day"),
            _REASON,
            short="let nothing be erased",
            text="""Nothing of what is meant is erased until the hold is released, whoever asks and
however old it is. Where several are given, all must fit. Recorded, with its owner: you.""",
            examples="""\
  citebound audit hold place --policy gifts --since 2026-01-01 --reason "case 17 O 12/26"
  citebound audit hold place --asker p-1f0c2b7d9e4a6b85 --reason "case 17 O 12/26\"""",
        ),
        command(
            "release",
            f"{_COMMANDS}:release_hold",
            option("hold_id", metavar="ID", help="as `audit hold list` shows it, or its beginning"),
            _REASON,
            short="end a hold",
            text="What was held can be erased again. Recorded.",
            examples="""\
  citebound audit hold release 0198c0de --reason "settled on 3 March\"""",
        ),
        command(
            "list",
            f"{_COMMANDS}:list_holds",
            JSON,
            short="what is held",
            text="Lists holds, and those that were released.",
            examples="""\
  citebound audit hold list""",
        ),
        short="keep what a dispute needs",
        text="Holds keep texts from being erased, by request or by age.",
        examples="""\
  citebound audit hold list""",
    ),
    command(
        "purge",
        f"{_COMMANDS}:purge",
        option(
            "--full",
            dest="is_full",
            action="store_true",
            help="write the tables anew: nothing is answered meanwhile",
        ),
        short="take what was erased out of the files",
        text="""What was erased can't be read by any statement, but words of it stay in an index and
bytes of it in the files of the database until Postgres uses their space again. This builds the
index anew and cleans the tables up, while all goes on; with --full no byte stays in them. Run it as
whoever migrates. Logs of changes (WAL) and backups keep what they have until they end.""",
        examples="""\
  citebound audit purge
  citebound audit purge --full""",
    ),
)
"""Of the group `audit`."""
