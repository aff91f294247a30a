"""What can be typed about officers: who they are, and what they read of the record in SQL."""

from bot.console.options import JSON, OFFICER, command, names, option, positive, reason

_COMMANDS = "bot.console.commands"
_PURPOSE = option(
    "--purpose", type=reason, metavar="TEXT", help="why you read, such as a ticket; recorded"
)
OFFICERS = (
    command(
        "sql",
        f"{_COMMANDS}.sql:sql",
        option("statement", nargs="?", help="one SELECT; - reads it from standard input"),
        _PURPOSE,
        OFFICER,
        option(
            "--limit",
            dest="most_rows",
            type=positive,
            default="1000",
            metavar="N",
            help="rows at most; default: 1000",
        ),
        option("--csv", dest="as_csv", action="store_true", is_either=True, help="print CSV"),
        option(
            "--json",
            dest="as_json",
            action="store_true",
            is_either=True,
            help="print one JSON value",
        ),
        short="query the record",
        text="""Executes one SELECT over the views of the record, as the officer whose login
DATABASE_URL names. The statement and its purpose are recorded first; what can't be recorded is not
executed. It takes 15 seconds at most, and can change nothing. Without a statement it is a prompt:
\\d lists the views, \\d VIEW its columns, \\q leaves. Piped, rows are CSV.""",
        examples="""\
  citebound audit sql --purpose "ticket 4711"
  citebound audit sql "SELECT kind, count(*) FROM v_refusals GROUP BY kind" --purpose "Q3 report"
  cat question.sql | citebound audit sql --csv --limit 50000 --purpose "ticket 4711" -""",
    ),
    command(
        "shell",
        f"{_COMMANDS}.shell:shell",
        _PURPOSE,
        OFFICER,
        short="open the embedded database",
        text="""Starts the embedded database, prints how any client of this machine connects to it
as an officer, and opens psql, its own or yours. It stops at the end, or when its last user leaves.
That it was opened is recorded, with the purpose; what is read in it is not.""",
        examples="""\
  citebound audit shell --purpose "ticket 4711\"""",
    ),
    command(
        "grant-officer",
        f"{_COMMANDS}.officers:grant",
        option("login", metavar="NAME", help="as the record and CITEBOUND_OFFICERS name them"),
        option(
            "--unit",
            dest="units",
            type=names,
            required=True,
            metavar="U1,U2",
            help="whose records they read, as CITEBOUND_UNIT names them; * is every unit",
        ),
        option(
            "--audience",
            dest="audiences",
            type=names,
            default="everyone",
            metavar="G1,G2",
            help="whose policies they read beside those for everyone; * is every group",
        ),
        option(
            "--no-login",
            dest="has_login",
            action="store_false",
            help="no login: they read in the console alone, where each reading is recorded",
        ),
        JSON,
        short="give an officer access to the record",
        text="""Makes a login that reads the officers' views, of the units and audiences given, and
prints its password once, with what psql, DBeaver and Metabase need. Again for the same name, it
changes units and audiences. Run it as whoever migrates. Recorded.

Postgres can't record what a login reads by itself: `citebound audit sql` and the console can. Where
each reading must be recorded, grant with --no-login, or let pgaudit log what logins read.""",
        examples="""\
  citebound audit grant-officer anna.berg --unit berlin
  citebound audit grant-officer anna.berg --unit berlin,paris --audience finance
  citebound audit grant-officer paul --unit '*' --audience '*' --no-login""",
    ),
    command(
        "revoke-officer",
        f"{_COMMANDS}.officers:revoke",
        option("login", metavar="NAME", help="as `audit officers` lists them"),
        short="revoke an officer's access",
        text="""Closes the login, ends its sessions, and keeps the officer on the list. They can
no longer use the console. Recorded.""",
        examples="""\
  citebound audit revoke-officer anna.berg""",
    ),
    command(
        "officers",
        f"{_COMMANDS}.officers:list_officers",
        JSON,
        short="who reads the record",
        text="Lists who reads the record, of which units and audiences, since when and until when.",
        examples="""\
  citebound audit officers
  citebound audit officers --json""",
    ),
)
"""Of the group `audit`."""
