"""What can be typed after `citebound`, with the help that teaches it. Imports nothing heavy."""

import argparse
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from bot.console.arguments import help_texts, values
from bot.console.arguments.eval_arguments import add_measures

if TYPE_CHECKING:
    _Subparsers = argparse._SubParsersAction[argparse.ArgumentParser]  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]  # it has no public name

_COMMANDS = "bot.console.commands."


class _Prose(argparse.HelpFormatter):
    """Fills paragraphs to the terminal's width, and leaves examples as they are."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        blocks = text.split("\n\n")
        return "\n\n".join(
            block
            if "\n  " in f"\n{block}"
            else super(_Prose, self)._fill_text(block, width, indent)
            for block in blocks
        )


class _Parser(argparse.ArgumentParser):
    """Says a usage error in one line, as all errors of the command are said."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"citebound: error: {message}; see `{self.prog} --help`\n")


def build_parser() -> argparse.ArgumentParser:
    """Return the parser of all commands."""
    common = argparse.ArgumentParser(add_help=False)
    common.add_argument("--debug", action="store_true", help="show the traceback of an error")
    parser = _Parser(
        prog="citebound",
        description=help_texts.TOP,
        epilog=help_texts.TOP_EXAMPLES,
        formatter_class=_Prose,
    )
    parser.add_argument("--version", action="version", version=f"citebound {_release()}")
    commands: _Subparsers = parser.add_subparsers(
        title="commands", metavar="COMMAND", required=True, parser_class=_Parser
    )

    def add(
        parent: "_Subparsers",
        name: str,
        module: str,
        texts: help_texts.Help,
    ) -> argparse.ArgumentParser:
        return _add(parent, name, module=module, texts=texts, common=common)

    _ingest(add(commands, "ingest", "ingest", help_texts.INGEST))
    _corpus(add(commands, "corpus", "corpus", help_texts.CORPUS), add)
    _ask(add(commands, "ask", "ask:run_ask", help_texts.ASK))
    _chat(add(commands, "chat", "ask:run_chat", help_texts.CHAT))
    _audit(add(commands, "audit", "audit", help_texts.AUDIT), add)
    _doctor(add(commands, "doctor", "doctor", help_texts.DOCTOR))
    add_measures(add(commands, "eval", "evaluate", help_texts.EVAL), add, with_json=_json)
    _demo(add(commands, "demo", "demo", help_texts.DEMO))
    _serve(add(commands, "serve", "bot.app.process", help_texts.SERVE))
    add(commands, "work", "bot.app.process", help_texts.WORK)
    _slack(add(commands, "slack", "slack", help_texts.SLACK), add)
    _teams(add(commands, "teams", "teams", help_texts.TEAMS), add)
    return parser


_Add = Callable[["_Subparsers", str, str, help_texts.Help], argparse.ArgumentParser]


def _add(
    parent: "_Subparsers",
    name: str,
    *,
    module: str,
    texts: help_texts.Help,
    common: argparse.ArgumentParser,
) -> argparse.ArgumentParser:
    parser = parent.add_parser(
        name,
        help=texts.short,
        description=texts.long,
        epilog=texts.examples,
        formatter_class=_Prose,
        parents=[common],
    )
    parser.set_defaults(module=module if "." in module else _COMMANDS + module)
    return parser


def _release() -> str:
    try:
        return version("citebound")
    except PackageNotFoundError:
        return "(not installed)"


def _ingest(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("paths", nargs="+", type=values.path, metavar="PATH", help="file or folder")
    one = parser.add_argument_group("what is known of the policy (of one file)")
    one.add_argument("--key", help="short identity, the same over all versions: gifts")
    one.add_argument("--title", help="title as shown to people")
    one.add_argument("--label", help="version as its owner calls it: 2.0")
    one.add_argument("--upload-id", metavar="ID", help="your own identity of the upload")
    each = parser.add_argument_group("what is known of each policy given")
    each.add_argument("--owner", help="role that answers for it")
    each.add_argument(
        "--jurisdiction",
        type=values.jurisdiction,
        metavar="DE",
        help="ISO 3166 code; default: everywhere",
    )
    each.add_argument(
        "--audience",
        type=values.names,
        metavar="G1,G2",
        help="groups who may read it; default: everyone",
    )
    each.add_argument("--tags", type=values.names, metavar="T1,T2", help="labels for scoping")
    each.add_argument(
        "--effective-from", type=values.day, metavar="DATE", help="first day in force"
    )
    each.add_argument(
        "--effective-until", type=values.day, metavar="DATE", help="first day no longer in force"
    )
    _rag(parser, meaning="index chunks for search, beside the facts (default: yes)")
    parser.add_argument(
        "--extract",
        choices=("rules", "claude"),
        default="rules",
        help="who reads the facts; claude: rules and Claude, section by section (default: rules)",
    )
    parser.add_argument(
        "--dry-run",
        action="store_true",
        help="say what would be done, and what Claude would cost; store and send nothing",
    )
    parser.add_argument(
        "--sync",
        action="store_true",
        help="withdraw the policies whose files are gone from the folders, after a list",
    )
    parser.add_argument("--yes", action="store_true", help="with --sync: without asking")
    _json(parser)


def _rag(parser: argparse.ArgumentParser, *, meaning: str) -> None:
    parser.add_argument("--rag", action=argparse.BooleanOptionalAction, default=True, help=meaning)


def _json(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", dest="as_json", help="print one JSON value")


def _scope(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("what the answer may rest on")
    group.add_argument(
        "--scope",
        action="append",
        default=[],
        type=values.scope,
        metavar="KEY=VALUE",
        help="tags=gifts,travel or jurisdiction=DE; may be repeated (bare words are tags)",
    )
    group.add_argument(
        "--jurisdiction",
        type=values.jurisdiction,
        metavar="DE",
        help="the same as --scope jurisdiction=DE",
    )
    group.add_argument(
        "--group",
        action="append",
        default=[],
        type=values.names,
        metavar="G",
        help="audience group of the asker; may be repeated; everyone is always one",
    )
    group.add_argument(
        "--as-of",
        type=values.as_of,
        metavar="DATE|edition:N",
        help="the rules of a day, or of an earlier state of the corpus; default: today's",
    )


def _asking(parser: argparse.ArgumentParser) -> None:
    _rag(parser, meaning="search document text where the graph does not suffice (default: yes)")
    _scope(parser)
    parser.add_argument(
        "--thread", type=values.thread, metavar="ID", help="continue this conversation"
    )
    parser.add_argument(
        "--trace-dir", type=Path, metavar="DIR", help="write each question's trace there, as JSON"
    )
    parser.add_argument(
        "-v",
        "--verbose",
        action="store_true",
        help="show tool calls, the gate, chunks, checks and times on standard error",
    )


def _ask(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "question", nargs="+", metavar="QUESTION", help="the question; - reads standard input"
    )
    _asking(parser)
    _json(parser)


def _chat(parser: argparse.ArgumentParser) -> None:
    _asking(parser)


def _corpus(parser: argparse.ArgumentParser, add: _Add) -> None:
    actions = parser.add_subparsers(title="actions", metavar="ACTION", required=True, dest="action")
    for name, texts in (
        ("summary", help_texts.CORPUS_SUMMARY),
        ("list", help_texts.CORPUS_LIST),
        ("validate", help_texts.CORPUS_VALIDATE),
        ("graph", help_texts.CORPUS_GRAPH),
    ):
        action = add(actions, name, "corpus", texts)
        _scope(action)
        if name == "graph":
            action.add_argument(
                "-o",
                "--output",
                type=Path,
                default=Path("citebound-graph.html"),
                metavar="FILE",
                help=".html or .graphml; default: citebound-graph.html",
            )
        _json(action)
    _withdraw(add(actions, "withdraw", "withdraw:run_withdraw", help_texts.CORPUS_WITHDRAW))
    _json(add(actions, "spaces", "spaces", help_texts.CORPUS_SPACES))
    embed = add(actions, "embed", "spaces", help_texts.CORPUS_EMBED)
    embed.add_argument(
        "--space", metavar="SPACE", help="local, voyage or voyage:MODEL; default: what is set up"
    )
    embed.add_argument("--dry-run", action="store_true", help="say what would be done, do nothing")
    old = embed.add_mutually_exclusive_group()
    old.add_argument(
        "--keep-old",
        action="store_true",
        default=True,
        help="keep the other spaces, to switch back without embedding (default)",
    )
    old.add_argument(
        "--drop-old",
        dest="keep_old",
        action="store_false",
        help="afterwards delete every space that does not serve",
    )
    _json(embed)


def _withdraw(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("key", metavar="KEY", help="the policy, as `corpus list` names it")
    parser.add_argument(
        "--from",
        dest="since",
        type=values.day,
        metavar="DATE",
        help="first day without it; default: today",
    )
    parser.add_argument(
        "--reason", type=values.reason, required=True, metavar="TEXT", help="kept in the record"
    )
    _json(parser)


def _audit(parser: argparse.ArgumentParser, add: _Add) -> None:
    actions = parser.add_subparsers(title="actions", metavar="ACTION", required=True, dest="action")
    show = add(actions, "show", "audit", help_texts.AUDIT_SHOW)
    show.add_argument("record_id", metavar="ID", help="the record, as printed under each answer")
    _json(show)
    listing = add(actions, "list", "audit", help_texts.AUDIT_LIST)
    listing.add_argument(
        "--limit", type=values.positive, default=20, metavar="N", help="default: 20"
    )
    listing.add_argument(
        "--outcome",
        choices=("answered", "clarification", "refused", "escalated", "ignored", "failed"),
        help="only questions that ended so",
    )
    _json(listing)


def _doctor(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(surfaces=("bot.slack.app.health", "bot.teams.app.health"))
    parser.add_argument(
        "--live",
        action="store_true",
        dest="is_live",
        help="make one small call to each provider that is set up; costs a fraction of a cent",
    )
    parser.add_argument(
        "--all",
        action="store_true",
        dest="shows_all",
        help="list settings at their defaults, too, as --json always does",
    )
    _json(parser)


def _demo(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--chat",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="open the chat at the end, at a terminal (default: yes)",
    )


def _serve(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--worker",
        action=argparse.BooleanOptionalAction,
        default=True,
        dest="works",
        help="answer in this process too (default: yes)",
    )


def _slack(parser: argparse.ArgumentParser, add: _Add) -> None:
    actions = parser.add_subparsers(title="actions", metavar="ACTION", required=True, dest="action")
    made = add(actions, "manifest", "bot.slack.manifest", help_texts.SLACK_MANIFEST)
    made.add_argument(
        "--url", metavar="URL", help="where Slack reaches you; default: CITEBOUND_PUBLIC_URL"
    )
    made.add_argument(
        "--socket", action="store_true", dest="uses_sockets", help="without a public address"
    )
    made.add_argument("-o", dest="output", type=Path, metavar="FILE", help="default: print it")


def _teams(parser: argparse.ArgumentParser, add: _Add) -> None:
    actions = parser.add_subparsers(title="actions", metavar="ACTION", required=True, dest="action")
    made = add(actions, "package", "bot.teams.manifest", help_texts.TEAMS_PACKAGE)
    made.add_argument("--app-id", metavar="ID", help="the bot's client id; default: APP_ID")
    made.add_argument(
        "--url", metavar="URL", help="where Teams reaches you; default: CITEBOUND_PUBLIC_URL"
    )
    made.add_argument(
        "--schema", choices=("1.30", "1.25"), default="1.30", help="of the manifest; default: 1.30"
    )
    made.add_argument(
        "-o",
        dest="output",
        type=Path,
        metavar="FILE",
        default=Path("citebound-teams.zip"),
        help="default: citebound-teams.zip",
    )
