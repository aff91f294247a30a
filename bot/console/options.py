"""How a command is declared, its words as values, and the options that several commands share.

A word that can be no value is a usage error, named before anything is opened. Nothing heavy is
imported.
"""

import argparse
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from bot.console.argument_parser import Parser, Prose
from core.domain.errors import UsageError
from core.domain.policy import EVERYONE, first_day_without
from core.expressions import expression
from core.ingest.metadata import shown
from core.ingest.stated.dates import day_problem, exact_date

MAX_REASON = 500
"""Characters of a reason."""
MAX_THREAD = 200
"""Characters of a conversation's id."""
_CALIBRATION = expression(r"[A-Za-z0-9][A-Za-z0-9._/-]{0,63}")
_COUNTRY = expression(r"[A-Za-z]{2}(-[A-Za-z0-9]{1,3})?")


Option = tuple[tuple[str, ...], dict[str, Any]]
"""Names and keywords of `add_argument` of argparse."""


def option(*names: str, **about: Any) -> Option:
    """Declare an option or an argument: `add_argument`, with two keywords more.

    `group` is its heading in the help. `is_either` excludes the command's others of this kind.
    """
    return names, about


@dataclass(frozen=True, slots=True)
class Command:
    """A command, or a group of commands, with the help that teaches it."""

    name: str
    """As it is typed."""
    function: str
    """`module:function`, which takes the values of the options by name and returns the exit code;
    empty of a group."""
    options: tuple[Option, ...]
    """What may follow it."""
    listed: "tuple[Command | str, ...]"
    """The commands of a group, and words that stand above those that follow them."""
    short: str
    """In the list of commands."""
    text: str
    """The help above the options."""
    examples: str
    """Below the options: commands as they are typed, one a line. Of a group they stand above its
    commands, and what follows them after an empty line stands below all."""

    @property
    def commands(self) -> "tuple[Command, ...]":
        """The commands of a group."""
        return tuple(one for one in self.listed if isinstance(one, Command))


def command(
    name: str, function: str, *options: Option, short: str, text: str, examples: str
) -> Command:
    """Declare a command; see `Command`."""
    return Command(name, function, options, (), short, text, examples)


def group(name: str, *listed: Command | str, short: str = "", text: str, examples: str) -> Command:
    """Declare a group of commands; see `Command`."""
    return Command(name, "", (), listed, short, text, examples)


def parser_of(command: Command) -> argparse.ArgumentParser:
    """Return the parser of a command and all below it."""
    parser = Parser(prog=command.name, **_help_of(command))
    _fill(parser, command)
    return parser


def _fill(parser: argparse.ArgumentParser, command: Command) -> None:
    has_either = any("is_either" in about for _, about in command.options)
    either = parser.add_mutually_exclusive_group() if has_either else parser
    titles = dict.fromkeys(about["group"] for _, about in command.options if "group" in about)
    groups = {title: parser.add_argument_group(title) for title in titles}
    for names, given in command.options:
        about = dict(given)
        taker = groups.get(about.pop("group", None), parser)
        (either if about.pop("is_either", False) else taker).add_argument(*names, **about)
    if not command.commands:
        parser.add_argument("--debug", action="store_true", help="show the traceback of an error")
        parser.set_defaults(function=command.function)
        return
    below = parser.add_subparsers(
        metavar="COMMAND",
        required=True,
        parser_class=Parser,
        prog=parser.prog,
        help=argparse.SUPPRESS,
    )
    for child in command.commands:
        _fill(below.add_parser(child.name, **_help_of(child)), child)


def _help_of(command: Command) -> dict[str, Any]:
    usage, text, below = None, command.text, f"examples:\n{command.examples}"
    if command.commands:
        examples, _, below = below.partition("\n\n")
        usage, text = "%(prog)s COMMAND ...", f"{text}\n\n{examples}\n{_listed(command)}"
    return {"usage": usage, "description": text, "epilog": below, "formatter_class": Prose}


def _listed(command: Command) -> str:
    width = max(len(child.name) for child in command.commands) + 2
    listed = command.listed if isinstance(command.listed[0], str) else ("commands", *command.listed)
    return "\n".join(
        f"\n{one}:" if isinstance(one, str) else f"  {one.name:<{width}}{one.short}"
        for one in listed
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Edition:
    """A state of the corpus, by its number."""

    number: int
    """From 1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScopePart:
    """One `--scope`."""

    tags: frozenset[str] = frozenset()
    """Tags it names."""
    jurisdiction: str | None = None
    """The jurisdiction it names; None if it names none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScopeOptions:
    """What an answer, a list or a picture may rest on."""

    groups: frozenset[str] = frozenset({EVERYONE})
    """Audience groups of the asker; `everyone` is always one."""
    names_groups: bool = False
    """True if `--group` was given."""
    tags: frozenset[str] = frozenset()
    """Only policies with one of these; empty: all."""
    jurisdiction: str | None = None
    """ISO 3166 code; None: all."""
    as_of: date | None = None
    """The day whose rules count; None: today."""
    edition: int | None = None
    """State of the corpus; None: the current one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AskOptions:
    """How to ask."""

    scope: ScopeOptions = ScopeOptions()
    """What the answer may rest on."""
    use_rag: bool = True
    """False: graph only."""
    thread: str | None = None
    """The conversation to continue; None: a new one."""
    trace_dir: Path | None = None
    """Where traces are written; None: nowhere."""
    is_verbose: bool = False
    """True: show how the answer came about."""


def path(text: str) -> Path:
    """Read a path; an empty one would be the current folder; `ArgumentTypeError` if it is empty."""
    if not text.strip():
        raise argparse.ArgumentTypeError("expected a file or a folder, got nothing")
    return Path(text)


def reason(text: str) -> str:
    """Read why something is done; `ArgumentTypeError` if it is empty, too long or not printable."""
    if not text.strip() or len(text) > MAX_REASON or not text.isprintable():
        raise argparse.ArgumentTypeError(
            f"expected one line of at most {MAX_REASON} printable characters"
        )
    return text.strip()


def calibration_name(text: str) -> str:
    """Read the name of a calibration; `ArgumentTypeError` if it can't be one."""
    if not _CALIBRATION.fullmatch(text) or text == "shipped":
        raise argparse.ArgumentTypeError(
            f"expected at most 64 letters, digits and ./_- like own/1, got {text!r}"
        )
    return text


def day(text: str) -> date:
    """Read a date, in the forms in which a document may say it; else `ArgumentTypeError`."""
    found = exact_date(text.strip())
    if found is None:
        raise argparse.ArgumentTypeError(f"{day_problem(text)}, got {shown(text)}")
    return found


def last_day(text: str) -> date:
    """Read the last day of something, see `day`; return the first day without it."""
    return first_day_without(day(text))


def as_of(text: str) -> date | Edition:
    """Read a date, or `edition:N`; `ArgumentTypeError` if it is neither."""
    prefix, colon, number = text.partition(":")
    if colon and prefix == "edition":
        return Edition(number=positive(number))
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(
            f"expected a date like 2026-01-31, or edition:3, got {text!r}"
        ) from error


def positive(text: str) -> int:
    """Read a whole number from 1; `ArgumentTypeError` if there is none."""
    if not (text.isascii() and text.isdigit() and 1 <= int(text[:10]) < 2**31):
        raise argparse.ArgumentTypeError(f"expected a whole number from 1, got {text!r}")
    return int(text)


def names(text: str) -> frozenset[str]:
    """Read names separated by commas; `ArgumentTypeError` if there is none."""
    found = frozenset(part.strip() for part in text.split(",") if part.strip())
    if not found:
        raise argparse.ArgumentTypeError(f"expected names separated by commas, got {text!r}")
    return found


def jurisdiction(text: str) -> str:
    """Read an ISO 3166 code, and return it in capitals; `ArgumentTypeError` if there is none."""
    if not _COUNTRY.fullmatch(text):
        raise argparse.ArgumentTypeError(f"expected an ISO 3166 code like DE, got {shown(text)}")
    return text.upper()


def scope(text: str) -> ScopePart:
    """Read `tags=a,b`, `jurisdiction=DE`, or bare tags; `ArgumentTypeError` for anything else."""
    key, equals, value = text.partition("=")
    if not equals:
        return ScopePart(tags=names(text))
    if key.strip() == "tags":
        return ScopePart(tags=names(value))
    if key.strip() == "jurisdiction":
        return ScopePart(jurisdiction=jurisdiction(value.strip()))
    raise argparse.ArgumentTypeError(f"expected tags=A,B or jurisdiction=DE, got {text!r}")


def thread(text: str) -> str:
    """Read a conversation's id; `ArgumentTypeError` if it is empty, too long or not printable."""
    if not text.strip() or len(text) > MAX_THREAD or not text.isprintable():
        raise argparse.ArgumentTypeError(
            f"expected a printable id of at most {MAX_THREAD} characters"
        )
    return text.strip()


OFFICER = option(
    "--officer",
    metavar="NAME",
    help="embedded database: the officer to act as; default: its owner, who may read everything",
)
JSON = option("--json", dest="as_json", action="store_true", help="print one JSON value")
_SCOPE = "what the answer may rest on"
SCOPE = (
    option(
        "--scope",
        group=_SCOPE,
        action="append",
        default=[],
        type=scope,
        metavar="KEY=VALUE",
        help="tags=gifts,travel or jurisdiction=DE; may be repeated (bare words are tags).",
    ),
    option(
        "--jurisdiction",
        group=_SCOPE,
        type=jurisdiction,
        metavar="DE",
        help="the same as --scope jurisdiction=DE",
    ),
    option(
        "--group",
        group=_SCOPE,
        action="append",
        default=[],
        type=names,
        metavar="G",
        help="audience group of the asker; may be repeated; everyone is always one",
    ),
    option(
        "--as-of",
        group=_SCOPE,
        type=as_of,
        metavar="DATE|edition:N",
        help="the rules of a day, or of an earlier state of the corpus; default: today's",
    ),
)
"""What answers, lists and pictures may rest on; see `scope_options`."""
ASKING = (
    option(
        "--rag",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="search document text if the graph is not enough (default: yes)",
    ),
    *SCOPE,
    option(
        "--thread",
        type=thread,
        metavar="ID",
        help="continue a conversation: the reference under an answer, or a name of your own",
    ),
    option(
        "--trace-dir",
        type=Path,
        metavar="DIR",
        help="write each question's trace there, as JSON",
    ),
    option(
        "-v",
        "--verbose",
        action="store_true",
        help="show tool calls, the gate, chunks, checks and times on standard error",
    ),
)
"""How to ask; see `ask_options`."""


def scope_options(
    *,
    scope: Iterable[ScopePart] = (),
    jurisdiction: str | None = None,
    group: Iterable[frozenset[str]] = (),
    as_of: date | Edition | None = None,
) -> ScopeOptions:
    """Return the values of `SCOPE` as one.

    Raises:
        UsageError: Two different jurisdictions were named.
    """
    parts, groups = tuple(scope), frozenset[str]().union(*group)
    named = {part.jurisdiction for part in parts} | {jurisdiction}
    jurisdictions = {name for name in named if name is not None}
    if len(jurisdictions) > 1:
        found = " and ".join(sorted(jurisdictions))
        raise UsageError(f"expected one jurisdiction, got {found}: name one, or none for all")
    return ScopeOptions(
        groups=groups | {EVERYONE},
        names_groups=bool(groups),
        tags=frozenset[str]().union(*(part.tags for part in parts)),
        jurisdiction=next(iter(jurisdictions), None),
        as_of=as_of if isinstance(as_of, date) else None,
        edition=as_of.number if isinstance(as_of, Edition) else None,
    )


def ask_options(
    *,
    rag: bool = True,
    thread: str | None = None,
    trace_dir: Path | None = None,
    verbose: bool = False,
    scope: Iterable[ScopePart] = (),
    jurisdiction: str | None = None,
    group: Iterable[frozenset[str]] = (),
    as_of: date | Edition | None = None,
) -> AskOptions:
    """Return the values of `ASKING` as one.

    Raises:
        UsageError: See `scope_options`.
    """
    return AskOptions(
        scope=scope_options(scope=scope, jurisdiction=jurisdiction, group=group, as_of=as_of),
        use_rag=rag,
        thread=thread,
        trace_dir=trace_dir,
        is_verbose=verbose,
    )
