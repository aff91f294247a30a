"""What can be typed about personal text in the record: erase it, hold it, keep it no longer."""

from bot.console.options import JSON, OFFICER, command, day, group, option, positive, reason

_COMMANDS = "bot.console.commands.privacy"
_BASIS = option(
    "--basis",
    type=reason,
    metavar="TEXT",
    help="ask another officer to approve it: the legal basis and the ticket; recorded",
)
_APPROVED = option(
    "--approved", metavar="REQUEST", is_either=True, help="do what another officer has approved"
)
_REASON = option("--reason", type=reason, required=True, metavar="TEXT", help="why; recorded")
PRIVACY = (
    command(
        "erase",
        f"{_COMMANDS}:erase",
        option("--asker", metavar="P", is_either=True, help="all texts of a person, by pseudonym"),
        option("--record", metavar="ID", is_either=True, help="those of one record's question"),
        _APPROVED,
        _BASIS,
        OFFICER,
        JSON,
        short="erase personal text",
        text="""Deletes the texts of a person, or of one question, with what repeats them: question,
answer, notes, traces, replies of models, platforms' ids, and who the person's pseudonyms stand for.
The records stay, with commitments that reveal nothing, and every proof stays valid. Alone it says
what would go: of a person what stands under this pseudonym, while all quarters are erased. With
--basis it asks for it, another officer approves by their own login or in the console (`citebound
audit request`), and --approved does it within 72 hours. What is held, or not finished yet, is
refused by name. The pseudonym of somebody who asks for it stands in the record whose ID is under
each of their answers. What Slack and Teams show is deleted there.""",
        examples="""\
  citebound audit erase --asker p-1f0c2b7d9e4a6b85
  citebound audit erase --asker p-1f0c2b7d9e4a6b85 --basis "GDPR Art. 17, ticket 4711"
  citebound audit erase --approved 0198c0de""",
    ),
    command(
        "retain",
        f"{_COMMANDS}:retain",
        option(
            "--older-than",
            dest="days",
            type=positive,
            metavar="DAYS",
            is_either=True,
            help="texts of records so old",
        ),
        option(
            "--places",
            dest="only_places",
            action="store_true",
            help="only platforms' ids: of channels, threads and messages",
        ),
        _APPROVED,
        _BASIS,
        OFFICER,
        JSON,
        short="erase old texts",
        text="""Deletes the texts of all records that are older, as `erase` does and with the same
approval, but for those that are held or not finished. Alone it says what would go, and what stays
and why.""",
        examples="""\
  citebound audit retain --older-than 1095
  citebound audit retain --older-than 30 --places --basis "schedule 3"
  citebound audit retain --approved 0198c0de""",
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
            option("--until", type=day, metavar="DATE", help="up to and including this day"),
            _REASON,
            OFFICER,
            short="place a hold",
            text="""Nothing that matches is erased until the hold is released, by request or by
age. If you give several conditions, all must match. Recorded, with you as its owner.""",
            examples="""\
  citebound audit hold place --policy gifts --since 2026-01-01 --reason "case 17 O 12/26"
  citebound audit hold place --asker p-1f0c2b7d9e4a6b85 --reason "case 17 O 12/26\"""",
        ),
        command(
            "release",
            f"{_COMMANDS}:release_hold",
            option("hold_id", metavar="ID", help="as `audit hold list` shows it, or its beginning"),
            _REASON,
            OFFICER,
            short="end a hold",
            text="What was held can be erased again. Recorded.",
            examples="""\
  citebound audit hold release 0198c0de --reason "settled on 3 March\"""",
        ),
        command(
            "list",
            f"{_COMMANDS}:list_holds",
            OFFICER,
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
            help="rewrite the tables; nothing is answered meanwhile",
        ),
        short="remove erased text from the database files",
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
