"""What can be typed after `citebound`, with the help that teaches it. Imports nothing heavy."""

import argparse
from dataclasses import replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from bot.console import (
    corpus_command_line,
    identity_command_line,
    ledger_command_line,
    officer_command_line,
    precedent_command_line,
    privacy_command_line,
    replay_command_line,
    source_command_line,
)
from bot.console.options import ASKING, JSON, command, group, option, parser_of, positive
from evals.measuring.command_line import EVAL

_COMMANDS = "bot.console.commands"
ASK = command(
    "ask",
    f"{_COMMANDS}.ask:ask",
    option("question", nargs="+", help="the question; - reads it from standard input"),
    *ASKING,
    JSON,
    short="ask one question",
    text="""Answers from the policies in force, with quotes, asks back, or says why there is no
answer. Each outcome is recorded before it is shown.""",
    examples="""\
  citebound ask "May I accept a gift worth EUR 80?"
  citebound ask --jurisdiction DE --group finance "Who releases payments?"
  citebound ask --as-of 2025-01-01 "What is the limit for gifts?"
  citebound ask --thread 7c1a90e4 "and for contractors?"
  citebound ask --no-rag --verbose "Who approves a business trip?"
  echo "What is a conflict of interest?" | citebound ask --json -""",
)
CHAT = command(
    "chat",
    f"{_COMMANDS}.ask:chat",
    *ASKING,
    short="ask in a conversation",
    text="""Starts a conversation that remembers what was said. If a fact is missing, it offers
options: type a number, or your own words.

  /sources   the quotes of the last answer again
  /new       a new conversation
  /help      these commands
  /quit      leave (as do Ctrl-D and Ctrl-C)""",
    examples="""\
  citebound chat
  citebound chat --jurisdiction DE --thread anna
  printf 'May I accept gifts?\\nand for contractors?\\n' | citebound chat""",
)
AUDIT = group(
    "audit",
    command(
        "show",
        f"{_COMMANDS}.audit:show",
        option("record_id", metavar="ID", help="the reference under an answer, or the whole id"),
        option(
            "--prefix",
            metavar="HEX",
            help="the start of its hash, from the reply in Slack or Teams, to compare",
        ),
        JSON,
        short="one record",
        text="""Shows a record: the question, the answer, each claim with its quote and where it
stands, confidence, steps, and whether the stored bytes still have the recorded hash.""",
        examples="""\
  citebound audit show 7c1a90e4 --json
  citebound audit show 7c1a90e4 --prefix 3f9a1c0de44b7a21""",
    ),
    command(
        "list",
        f"{_COMMANDS}.audit:list_records",
        option("--limit", type=positive, default="20", metavar="N", help="default: 20"),
        option(
            "--outcome",
            choices=("answered", "clarification", "refused", "escalated", "ignored", "failed"),
            help="only questions with this outcome",
        ),
        JSON,
        short="latest records",
        text="Lists records, newest first.",
        examples="""\
  citebound audit list
  citebound audit list --outcome refused --limit 50 --json""",
    ),
    *replay_command_line.REPLAY,
    *ledger_command_line.LEDGER,
    *officer_command_line.OFFICERS,
    *privacy_command_line.PRIVACY,
    *identity_command_line.IDENTITY,
    short="read and verify the record",
    text="Reads and verifies the record: questions, answers and the grounds for them.",
    examples="""\
  citebound audit list --outcome refused
  citebound audit show 7c1a90e4""",
)
DOCTOR = command(
    "doctor",
    f"{_COMMANDS}.doctor:doctor",
    option(
        "--live",
        dest="is_live",
        action="store_true",
        help="make one small call to each configured provider and source; costs a fraction of a"
        " cent",
    ),
    option(
        "--production",
        dest="is_production",
        action="store_true",
        help="check what a deployment in production needs, before it starts",
    ),
    option(
        "--all",
        dest="shows_all",
        action="store_true",
        help="list settings at their defaults, too, as --json always does",
    ),
    JSON,
    short="what is set up, what is missing",
    text="""Checks Python, settings, database, corpus, sources, embedder and reasoner, and says
how to fix any problem. `--live` also calls each provider's models once, and tests the address,
credentials and permissions of each policy source. Exit code 3 if something is broken. Secrets
are not printed.""",
    examples="""\
  citebound doctor
  citebound doctor --live         do the keys work, do the models answer?
  citebound doctor --json""",
)
MIGRATE = command(
    "migrate",
    f"{_COMMANDS}.migrate:migrate",
    option(
        "--production",
        dest="is_production",
        action="store_true",
        help="first check that the deployment can start as it is set up; exit code 3 if not",
    ),
    short="bring the schema to this release",
    text="""Creates or upgrades the database schema. In production only this command does:
`serve` and `work` wait for it, other commands say that it is needed. It does nothing if the
schema is current, or is a compatible one from a later release.""",
    examples="""\
  citebound migrate               before the processes of a new release are started""",
)
PROBE = command(
    "probe",
    f"{_COMMANDS}.probe:probe",
    option(
        "--ready",
        dest="asks_ready",
        action="store_true",
        help="check readiness, not only liveness",
    ),
    short="check the health of a running process",
    text="""Queries `serve` or `work` on this machine at CITEBOUND_OPERATIONS_PORT: exit code 0
if it is alive, 1 if not. Meant for health checks in containers that have no HTTP client.""",
    examples="""\
  citebound probe
  citebound probe --ready""",
)
DEMO = command(
    "demo",
    f"{_COMMANDS}.demo:demo",
    option(
        "--chat",
        action=argparse.BooleanOptionalAction,
        dest="chats",
        default=True,
        help="open the chat at the end, at a terminal (default: yes)",
    ),
    short="see it work, on sample policies",
    text="""Ingests the sample policies into a separate database (`CITEBOUND_HOME`/demo, or
DATABASE_URL), asks one question of each kind, and opens a chat if there is a terminal.""",
    examples="""\
  citebound demo
  citebound demo --no-chat""",
)
SERVE = command(
    "serve",
    "bot.app.process:serve",
    option(
        "--worker",
        action=argparse.BooleanOptionalAction,
        dest="works",
        default=True,
        help="answer in this process too (default: yes)",
    ),
    short="answer in Slack and Microsoft Teams",
    text="""Receives messages from Slack and Teams, answers them and posts the answers, until
SIGTERM. Run it behind a TLS proxy: Slack calls `/slack/events`, Teams `/api/messages`. With
SLACK_APP_TOKEN and no SLACK_SIGNING_SECRET it uses Socket Mode. With SLACK_CLIENT_ID instead of
a bot token, several workspaces can install the app, each at `/slack/install`. A second port, on
the loopback unless CITEBOUND_OPERATIONS_HOST says otherwise, serves the probes `/livez` and
`/readyz` and `/metrics`. If a platform's secrets are missing, it does not start: exit code 3.""",
    examples="""\
  citebound serve
  citebound serve --no-worker     take messages only; `citebound work` answers them""",
)
WORK = command(
    "work",
    "bot.app.process:work",
    short="additional workers for `serve`",
    text="Answers messages that `citebound serve` has received, and posts the answers, until"
    " SIGTERM. Run as many as you like.",
    examples="""\
  citebound work""",
)
SLACK = group(
    "slack",
    command(
        "manifest",
        "bot.slack.manifest:write_manifest",
        option(
            "--url", metavar="URL", help="where Slack reaches you; default: CITEBOUND_PUBLIC_URL"
        ),
        option(
            "--socket", dest="uses_sockets", action="store_true", help="without a public address"
        ),
        option(
            "--no-starters",
            dest="has_starters",
            action="store_false",
            help="suggest no questions, and need no database",
        ),
        option("-o", dest="output", type=Path, metavar="FILE", help="default: print it"),
        short="print the app's manifest",
        text="""Prints the manifest for api.slack.com/apps ("From a manifest"): scopes, events,
command and shortcuts, and your address. --socket needs no public address; add --url for OAuth
installations.

Suggested questions are chosen from the policies, and each is asked first to check that it is
answered (or they come from CITEBOUND_STARTERS). Names and texts come from CITEBOUND_APP_CONFIG.""",
        examples="""\
  citebound slack manifest --socket
  citebound slack manifest --url https://citebound.example.com -o manifest.yaml""",
    ),
    short="make the Slack app",
    text="Creates the Slack app's manifest. docs/slack.md has the steps to a first answer.",
    examples="""\
  citebound slack manifest --socket""",
)
TEAMS = group(
    "teams",
    command(
        "package",
        "bot.teams.manifest:write_package",
        option("--app-id", metavar="ID", help="the bot's client id; default: APP_ID"),
        option(
            "--url", metavar="URL", help="where Teams reaches you; default: CITEBOUND_PUBLIC_URL"
        ),
        option(
            "--schema",
            choices=("1.30", "1.25"),
            default="1.30",
            help="of the manifest; default: 1.30",
        ),
        option(
            "--copilot",
            dest="is_agent",
            action="store_true",
            help="offer it as an agent in Microsoft 365 Copilot, too",
        ),
        option(
            "--no-consent",
            dest="asks_consent",
            action="store_false",
            help="request no resource-specific consent: the app hears only mentions",
        ),
        option(
            "--no-starters",
            dest="has_starters",
            action="store_false",
            help="suggest no questions, and need no database",
        ),
        option(
            "-o",
            dest="output",
            type=Path,
            metavar="FILE",
            default="citebound-teams.zip",
            help="default: citebound-teams.zip",
        ),
        short="build the app's zip",
        text="""Builds the package to upload in Teams ("Upload an app") or its admin centre:
manifest and icons, for your registration and address. --app-id defaults to APP_ID. Older admin
tools that reject schema 1.30 accept 1.25, which has no slash commands.

Suggested questions are chosen from the policies, and each is asked first to check that it is
answered (or they come from CITEBOUND_STARTERS). Names, texts, icons and languages come from
CITEBOUND_APP_CONFIG.""",
        examples="""\
  citebound teams package --url https://citebound.example.com
  citebound teams package --app-id 22222222-2222-4222-8222-222222222222 \\
    --url https://citebound.example.com --schema 1.25 -o citebound-teams.zip""",
    ),
    short="make the Teams app",
    text="Creates the Teams app's package. docs/teams.md has the steps to a first answer.",
    examples="""\
  citebound teams package --url https://citebound.example.com""",
)
CITEBOUND = group(
    "citebound",
    "start here",
    DEMO,
    DOCTOR,
    "ask",
    ASK,
    CHAT,
    "policies",
    corpus_command_line.INGEST,
    corpus_command_line.CORPUS,
    source_command_line.SOURCES,
    "the record and quality",
    AUDIT,
    precedent_command_line.PRECEDENT,
    EVAL,
    "run it, in Slack and Microsoft Teams",
    SLACK,
    TEAMS,
    SERVE,
    WORK,
    MIGRATE,
    PROBE,
    text="""Answers compliance questions from your own policies. Every statement carries a
citation that was checked against the stored text; every question ends in one recorded outcome.""",
    examples="""\
  citebound demo                      sample policies, one question of each kind, a chat
  citebound ingest policies/          read your own documents, spreadsheets, slides
  citebound ask "May I accept a gift worth EUR 80?\"""",
)


def build_parser(exit_codes: str = "") -> argparse.ArgumentParser:
    """Return the parser of all commands; `exit_codes` end its help."""
    parser = parser_of(replace(CITEBOUND, examples=f"{CITEBOUND.examples}\n\n{exit_codes}"))
    parser.add_argument("--version", action="version", version=f"citebound {_release()}")
    return parser


def _release() -> str:
    try:
        return version("citebound")
    except PackageNotFoundError:
        return "(not installed)"
