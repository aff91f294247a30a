"""Reading what Slack sent: fields that must be there, fields that may, and what a person typed.

Slack escapes `&`, `<` and `>` and puts what it understood into `<>`: people, channels, groups,
addresses. What was typed is read back; nothing that looks like markup afterwards is any.
"""

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from bot.json_fields import Object
from core.domain.errors import ContractError

_CONTROL = re.compile(r"<([^<>]*)>")
_QUOTES_ALL = ">>>"
"""The older mark: all that follows is quoted."""
_MENTIONS = ("@", "!subteam", "!here", "!channel", "!everyone")
_ESCAPES = (("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&"))
"""In this order, so that `&amp;lt;` is read as `&lt;`."""


EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
LONGEST_SECONDS = 11
"""Digits: until the year 5138."""


def need(given: Object, key: str) -> str:
    """Return a string that Slack promises.

    Raises:
        ContractError: It is not there, or empty.
    """
    value = given.get(key)
    if not isinstance(value, str) or not value:
        raise ContractError(f"expected a string {key!r} from Slack, got {type(value).__name__}")
    return value


def maybe(given: Object, key: str) -> str:
    """Return a string, `""` where there is none."""
    value = given.get(key)
    return value if isinstance(value, str) else ""


def instant(ts: str) -> datetime:
    """Return when something was written; a `ts` is seconds and microseconds, exactly.

    Raises:
        ContractError: It is no `ts`.
    """
    seconds, _, micros = ts.partition(".")
    digits = seconds.isascii() and seconds.isdecimal() and len(seconds) <= LONGEST_SECONDS
    if not (digits and micros.isascii() and micros.isdecimal()):
        raise ContractError("expected a Slack timestamp: seconds, a dot, microseconds")
    return EPOCH + timedelta(seconds=int(seconds), microseconds=int(micros[:6].ljust(6, "0")))


def typed(text: str, *, bot_user: str) -> str:
    """Return what was typed, without the mention of the bot itself."""
    own = re.compile(rf"<@{re.escape(bot_user)}(?:\|[^<>]*)?>\s?")
    words = _CONTROL.sub(lambda found: _word(found[1]), own.sub("", text))
    for escape, character in _ESCAPES:
        words = words.replace(escape, character)
    return words.strip()


def names(text: str, bot_user: str) -> bool:
    """Say whether a text mentions the bot."""
    return f"<@{bot_user}>" in text or f"<@{bot_user}|" in text


@dataclass(frozen=True, slots=True, kw_only=True)
class Quoting:
    """What was typed, and what it quotes."""

    rest: str
    """What was typed besides; all of it if there is nothing else."""
    quoted: str = ""
    """The lines that quote, without their marks."""


def split_quote(text: str) -> Quoting:
    """Part what somebody quotes from what they say to it: Slack marks each line of a quote."""
    lines, quoted, rest = text.splitlines(), list[str](), list[str]()
    for number, line in enumerate(lines):
        if line.startswith(_QUOTES_ALL):
            quoted += [line.removeprefix(_QUOTES_ALL), *lines[number + 1 :]]
            break
        (quoted if line.startswith(">") else rest).append(line.removeprefix(">"))
    said = "\n".join(rest).strip()
    if not said:
        return Quoting(rest=text)
    return Quoting(rest=said, quoted="\n".join(one.strip() for one in quoted).strip())


def names_others(text: str, bot_user: str) -> bool:
    """Say whether a text mentions a person, a group or everybody who reads it, besides the bot."""
    return any(
        found[1].startswith(_MENTIONS) and not names(found[0], bot_user)
        for found in _CONTROL.finditer(text)
    )


def _word(control: str) -> str:
    """Return what a person sees of a sequence: its label, or else its name."""
    target, _, label = control.partition("|")
    if target.startswith("@"):
        return "@" + (label or target[1:]).removeprefix("@")
    if target.startswith("#"):
        return "#" + (label or target[1:]).removeprefix("#")
    if target.startswith("!"):
        return label or "@" + target[1:].partition("^")[0]
    return label or target.removeprefix("mailto:")
