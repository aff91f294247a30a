"""What somebody has in front of them of a message: its phrases, and what they can press.

Read of the blocks of Slack and of the text and cards of Teams, so that both can be compared. Of a
phrase the words count: not where lines break, how it is emphasised, or which icon stands before it.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, cast

from tests.servers.slack.markup import unescaped
from tests.unit.teams.reading import words_of

TIME = "(a time)"
"""Each client writes times in its reader's own zone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Different:
    """Something that can't be the same, and why."""

    why: str
    slack: frozenset[str] = frozenset()
    """Phrases and buttons that Slack alone has."""
    teams: frozenset[str] = frozenset()
    """The same of Teams."""


EXCEPTIONS = (
    Different(
        why="Which replies reach us: in Slack those of a thread, in Teams those that mention us.",
        slack=frozenset(
            {
                "Or just reply in this thread.",
                "Just reply in this thread.",
                "Message me directly, mention me in a channel, or use /policy.",
                "Reply in this thread with what is still unresolved.",
            }
        ),
        teams=frozenset(
            {
                "Or just reply.",
                "Just reply.",
                "Or reply and mention me.",
                "Reply and mention me.",
                "Mention me with each question.",
                "If your team lets me read its messages, you can also just reply in my thread.",
                "Write your question here; only you see the reply.",
            }
        ),
    ),
    Different(
        why="A list to choose from takes effect at once in Slack; in Teams it needs a button.",
        teams=frozenset({"Choose"}),
    ),
    Different(
        why="Slack opens the policy by a button below the evidence, Teams by its title.",
        slack=frozenset({"Open policy"}),
    ),
    Different(
        why="Slack can ask whether something is meant before it is done; Teams has no such dialog.",
        slack=frozenset({"Remove this answer?", "Keep"}),
    ),
)
_PLATFORM = re.compile(r"\b(?:Slack|Teams) did not say\b")
_SLACK_RUNS = frozenset({"rich_text_section", "rich_text_quote", "rich_text_preformatted"})
_SLACK_CONTROL = re.compile(r"<(?:!date\^[^<>]*|@([A-Z0-9]+)|[^<>|]*\|([^<>]*))>")
_SLACK_ICON = re.compile(r":[a-z_]+:")
_TEAMS_DATE = re.compile(r"\{\{DATE\([^)]*\)\}\} \{\{TIME\([^)]*\)\}\}")
_WRITTEN = re.compile(r"(?:[A-Z][a-z]{2} )?\d{4}-\d{2}-\d{2} \d{2}:\d{2} UTC|\b\d{2}:\d{2} UTC")
_REFERENCE = re.compile(r"Ref [0-9a-f]{8}(?: · [0-9a-f]{16})?")
_APART = re.compile(r"\n|(?<=asked:) |\s+·\s+|(?<=[.!?]) (?=[A-Z])")
_BEFORE = re.compile(r"^[^\w\[(]+|\s+$")
_QUOTED = str.maketrans("", "", "“”")
_MENTION = re.compile(r"<at>([^<]*)</at>")


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """One message."""

    says: frozenset[str]
    """Its phrases: sentences, and what stands between dots or in a line of its own."""
    offers: tuple[str, ...]
    """What buttons say, in alphabetical order."""


def slack_shows(blocks: Any, text: str = "") -> Shown:
    """Read a message of Slack; `text` is what it says where it has no blocks."""
    said, offered = list(_slack_words(blocks)), list(_slack_buttons(blocks))
    return _shown(said or [_slack_text(text)], offered)


def teams_shows(activity: Any) -> Shown:
    """Read a message of Teams."""
    text = str(activity.get("text") or "")
    is_plain = activity.get("textFormat") == "plain"
    said, offered = [text if is_plain else _MENTION.sub(r"\1", words_of(text))], list[str]()
    for one in _objects(activity.get("attachments")):
        said += _card_words(one.get("content"))
        offered += _card_buttons(one.get("content"))
    for suggested in _objects(activity.get("suggestedActions")):
        offered += [str(one["title"]) for one in _objects(suggested["actions"])]
    if "feedbackLoop" in (activity.get("channelData") or {}):
        offered += ["Helpful", "Not helpful"]
    return _shown(said, offered)


def differences(in_slack: Shown, in_teams: Shown) -> list[str]:
    """Return what one of two messages has alone, but for what can't be the same."""
    slack_alone = {phrase for one in EXCEPTIONS for phrase in one.slack}
    teams_alone = {phrase for one in EXCEPTIONS for phrase in one.teams}
    pairs = (
        ("says", in_slack.says, in_teams.says),
        ("offers", frozenset(in_slack.offers), frozenset(in_teams.offers)),
    )
    return [
        *(f"Slack {what} {one!r}" for what, a, b in pairs for one in sorted(a - b - slack_alone)),
        *(f"Teams {what} {one!r}" for what, a, b in pairs for one in sorted(b - a - teams_alone)),
    ]


def page(card: Any) -> dict[str, Any]:
    """Return a card as a message that holds nothing else."""
    return {"attachments": [{"content": card}]}


def _shown(said: list[str], offered: list[str]) -> Shown:
    return Shown(
        says=frozenset(phrase for text in said for phrase in _phrases(text)),
        offers=tuple(sorted(" ".join(one.split()) for one in offered)),
    )


def _phrases(text: str) -> Iterator[str]:
    plain = _PLATFORM.sub("The platform did not say", _TEAMS_DATE.sub(TIME, text))
    plain = _REFERENCE.sub("Ref", _WRITTEN.sub(TIME, plain))
    for part in _APART.split(plain.translate(_QUOTED)):
        told = _BEFORE.sub("", part)
        if told:
            yield " ".join(told.split())


def _slack_text(text: str) -> str:
    def told(found: re.Match[str]) -> str:
        return found[2] if found[2] is not None else f"@{found[1]}" if found[1] else TIME

    return unescaped(_SLACK_ICON.sub("", _SLACK_CONTROL.sub(told, text)))


def _slack_words(value: Any) -> Iterator[str]:
    for one in _objects(value):
        kind = one.get("type")
        if kind in {"actions", "context_actions"}:
            menus = [one for one in _objects(one["elements"]) if "options" in one]
            yield from (str(words) for menu in menus for words in _slack_words(menu))
            continue
        if kind in _SLACK_RUNS:
            yield "".join(_slack_run(run) for run in one["elements"])
        elif kind == "mrkdwn":
            yield _slack_text(str(one["text"]))
        elif kind == "plain_text":
            yield str(one["text"])
        else:
            for inner in one.values():
                yield from _slack_words(inner)


def _slack_run(run: Any) -> str:
    return f"@{run['user_id']}" if run["type"] == "user" else str(run.get("text") or run.get("url"))


def _slack_buttons(value: Any) -> Iterator[str]:
    for one in _objects(value):
        if one.get("type") in {"actions", "context_actions"}:
            for element in _objects(one["elements"]):
                thumbs = (element.get(f"{one}_button") for one in ("positive", "negative"))
                for told in _objects([element, *thumbs]):
                    if "text" in told:
                        yield str(told["text"]["text"])


def _card_words(value: Any) -> Iterator[str]:
    for one in _objects(value):
        kind = str(one.get("type"))
        if kind == "RichTextBlock":
            yield "".join(str(run["text"]) for run in one["inlines"])
        elif kind == "TextBlock":
            yield str(one["text"])
        elif kind == "Action.ToggleVisibility":
            yield str(one["title"])
        elif kind.startswith("Input."):
            yield from (str(one[key]) for key in ("label", "placeholder", "title") if key in one)
            yield from (str(choice["title"]) for choice in _objects(one.get("choices")))
        elif not kind.startswith("Action."):
            for inner in one.values():
                yield from _card_words(inner)


def _card_buttons(value: Any) -> Iterator[str]:
    for one in _objects(value):
        kind = str(one.get("type"))
        if kind.startswith("Action."):
            if kind != "Action.ToggleVisibility":
                yield str(one["title"])
        else:
            for name, inner in one.items():
                if name not in {"refresh", "selectAction"}:
                    yield from _card_buttons(inner)


def _objects(value: Any) -> list[dict[str, Any]]:
    if isinstance(value, dict):
        return [cast("dict[str, Any]", value)]
    held: list[Any] = cast("list[Any]", value) if isinstance(value, list | tuple) else []
    return [one for one in held if isinstance(one, dict)]
