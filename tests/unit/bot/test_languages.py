"""The interface in English and German: whole, within the platforms' limits, and never mixed."""

import ast
import importlib
import pkgutil
import re
import string
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, cast

import pytest

import bot
import bot.replies.buttons as shared_buttons
import core
from bot.forms import forms
from bot.forms.evidence import EvidenceView
from bot.forms.forms import SeenBy
from bot.replies import samples
from bot.replies.buttons import Button
from bot.replies.context import Library, RenderContext, Shelf
from bot.replies.samples import HIGH, sample_replies
from bot.slack.blocks.action_ids import NAMES
from bot.slack.blocks.elements import BUTTON, LABEL, press_button
from bot.slack.blocks.evidence import evidence_modal, loading_modal
from bot.slack.blocks.home_view import Home, OpenQuestion, home_view
from bot.slack.blocks.modals import form_modal
from bot.slack.blocks.render import SHAPES as SLACK_SHAPES
from bot.slack.blocks.render import render as in_slack
from bot.teams.cards.dialogs import form_card
from bot.teams.cards.evidence import evidence_card
from bot.teams.cards.render import SHAPES as TEAMS_SHAPES
from bot.teams.cards.render import render as in_teams
from core.language.interface.texts import Text, as_it_is, of_locale, spoken
from core.language.languages import Language

EN, DE = Language.ENGLISH, Language.GERMAN
LIBRARY = Library(
    shelves={"gifts": Shelf(url="https://policies.example.com/gifts", owner="Legal")},
    hosts=frozenset({"policies.example.com"}),
)
SURFACES = (
    "bot/actions",
    "bot/forms",
    "bot/replies",
    "bot/slack/actions",
    "bot/slack/blocks",
    "bot/slack/outbound",
    "bot/teams/actions",
    "bot/teams/cards",
    "bot/teams/outbound",
    "core/agent/reply",
)
"""Whose modules word what people read."""
_WORDS = re.compile(r"[A-Za-z]{2,} [a-z]{2,}")
_ENGLISH = re.compile(
    r"\b(?:the|and|this|that|your|you|with|from|policy|policies|answer|question|case|is|are)\b",
    re.IGNORECASE,
)
ALIKE = frozenset(
    {
        "Compliance",
        "Option {number}",
        "Channel {channel}",
        "{grade}: {on}.",
        "{told} {stays} {stands}",
    }
    | {"April", "August", "September", "November"}
)
"""Texts that are the same in both languages."""
NO_REPLIES = frozenset(
    {"samples.py", "card_check.py", "safe_text.py", "audience.py", "answer_json.py"}
)
"""Modules whose words nobody reads in a reply."""
IN_ENGLISH = frozenset(
    {
        # Questions that the rules understand, classes that a deployment names, claims, units.
        "What are the main rules of the {policy}?",
        "Summarise the {policy}",
        "Strictly confidential",
        "more than ",
        "business day",
        "Not allowed.",
        "Not allowed",
        "Yes, up to ",
        "Only with approval.",
    }
)


@pytest.mark.parametrize(
    ("locale", "language"),
    [
        ("de", DE),
        ("de-AT", DE),
        ("de_DE", DE),
        ("DE-de", DE),
        ("en-GB", EN),
        ("fr-FR", DE),
        ("dea", DE),
        ("", DE),
        (None, DE),
        ("x" * 8_000, DE),
    ],
)
def test_the_locale_decides(locale: str | None, language: Language) -> None:
    """Where it is told and spoken; else the deployment's language, German in these cases."""
    assert of_locale(locale, otherwise=DE) is language


def test_a_text_has_no_words_without_a_language() -> None:
    """So that none is shown by mistake; of a language that is not spoken it has English ones."""
    told = Text("One {what}", "Ein {what}").format(what=Text("case", "Fall"))
    assert (told.en, told.of(DE), told.of(Language.FRENCH)) == ("One case", "Ein Fall", "One case")
    with pytest.raises(TypeError):
        f"{told}"
    assert as_it_is("Ann").of(DE) == "Ann"
    assert (spoken("de"), spoken("fr"), spoken("")) == (DE, EN, EN)


@cache
def texts() -> Mapping[str, Text]:
    """Return every text that stands in a module, by where it stands."""
    found: dict[str, Text] = {}
    for package in (bot, core):
        for one in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if one.name.endswith("__main__") or ".adapters." in one.name:
                continue
            module = importlib.import_module(one.name)
            for name, value in vars(module).items():
                found |= {f"{one.name}.{name}{at}": text for at, text in _texts_in(value)}
    return found


def _texts_in(value: object, at: str = "") -> Iterator[tuple[str, Text]]:
    if isinstance(value, Text):
        yield at, value
    elif isinstance(value, Button):
        yield f"{at}.text", value.text
        yield from [(f"{at}.label", value.label)] if value.label else []
    elif isinstance(value, Mapping):
        for key, one in cast("Mapping[str, object]", value).items():
            yield from _texts_in(one, f"{at}[{key}]")
    elif isinstance(value, tuple | list):
        for number, one in enumerate(cast("Sequence[object]", value)):
            yield from _texts_in(one, f"{at}[{number}]")


def test_each_text_is_in_both_languages() -> None:
    """With the same places to be filled, and no English left in its German words."""
    assert len(texts()) > 300
    faults: list[str] = []
    for where, text in texts().items():
        if _places(text.en) != _places(text.de):
            faults.append(f"{where}: other places")
        is_alike = text.en == text.de and bool(re.search(r"[a-z]{3}", _plain(text.en)))
        if is_alike and text.en not in ALIKE:
            faults.append(f"{where}: the same in both")
        quoted = re.sub(r"„[^“]*“|`[^`]*`", "", _plain(text.de))
        if text.en not in ALIKE and _ENGLISH.search(quoted):
            faults.append(f"{where}: English in {quoted!r}")
    assert not faults


def _places(words: str) -> list[str]:
    return sorted(name for _, name, _, _ in string.Formatter().parse(words) if name)


def _plain(words: str) -> str:
    told = "".join(told for told, _, _, _ in string.Formatter().parse(words))
    return told.replace("/policy", "")


def test_buttons_keep_to_what_a_button_shows() -> None:
    """In either language, for clients and for screen readers (Slack: 75 characters each)."""
    buttons = [one for one in vars(shared_buttons).values() if isinstance(one, Button)]
    assert len(buttons) > 10
    for one in buttons:
        for language in (EN, DE):
            assert len(one.text.of(language)) <= BUTTON
            made = press_button(one, "id", language) if one.act in NAMES else {}
            assert len(str(made.get("accessibility_label", ""))) <= LABEL


def test_no_words_stand_outside_the_texts() -> None:
    """Of what people read: errors, logs and what is said to who administers it are no such."""
    found: list[str] = []
    for folder in SURFACES:
        for path in sorted(Path(folder).glob("*.py")):
            tree = ast.parse(path.read_text("utf-8"))
            if path.name not in NO_REPLIES:
                told = (one for one in _literals(tree) if one.value not in IN_ENGLISH)
                found += [f"{path}:{one.lineno}: {one.value!r}" for one in told]
    assert not found


def _literals(tree: ast.AST) -> Iterator[ast.Constant]:
    """Yield strings of words that are no docstring, no text of ours, no error and no log line."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Raise | ast.Assert):
            continue
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            continue
        if isinstance(node, ast.Call) and _is_ours(node.func):
            continue
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            if _WORDS.search(node.value):
                yield node
            continue
        yield from _literals(node)


def _is_ours(called: ast.expr) -> bool:
    if isinstance(called, ast.Attribute):
        return isinstance(called.value, ast.Name) and called.value.id in {"logger", "re"}
    return isinstance(called, ast.Name) and called.id in {"Text", "ReplyWords"}


QUOTED = frozenset(
    {
        *(one.quote for one in HIGH.citations),
        samples.QUESTION,
        "Yes, up to EUR 35.",
        "It is from a supplier.",
        "A gift may be worth EUR 50 at most.",
        "Gifts Policy",
        "Monetary limit",
        "Officer",
        "Legal",
        "Country",
        "Compliance Assistant",
        "Option",
        "/policy",
        "What are the main rules of the",
    }
)
"""What is somebody's own, in whatever language."""


def drawn(language: Language) -> dict[str, list[str]]:
    """Return the words of every reply, form and view, on both platforms."""
    found: dict[str, list[str]] = {}
    for is_public in (False, True):
        context = RenderContext(
            library=LIBRARY,
            asker="U0ANNA",
            asker_name="Anna",
            may_share=True,
            has_file=True,
            is_public=is_public,
            language=language,
        )
        for name, reply in sample_replies(language):
            for shape in range(SLACK_SHAPES):
                made = in_slack(reply, shape, outbox_id=1, context=context)
                key = f"Slack {name} {shape} {is_public}"
                found[key] = list(words_in([list(made.blocks), made.text]))
            for shape in range(TEAMS_SHAPES):
                activity = in_teams(reply, shape, context=context).activity
                found[f"Teams {name} {shape} {is_public}"] = list(words_in(activity))
    views: dict[str, Any] = {
        "Home": home_view(
            Home(
                questions=(OpenQuestion(title="Gifts Policy", state=""),),
                waiting=(OpenQuestion(title="Gifts Policy", state=""),) * 12,
                edition=2,
                cases=tuple(one.case for _, one in sample_replies(language) if one.case),
                language=language,
            )
        ),
        "Home of an outsider": home_view(Home(may_ask=False, language=language)),
        "empty Home": home_view(Home(cases=(), language=language)),
        "loading": loading_modal("a1", language),
    }
    evidence = EvidenceView(answer=HIGH, answer_id="a1", record_id="r1", language=language)
    views["evidence in Slack"] = evidence_modal(evidence, LIBRARY)
    views["evidence in Teams"] = evidence_card(evidence, LIBRARY)
    for form in every_form():
        views[f"{form.name} in Slack"] = form_modal(form, language=language)
        views[f"{form.name} in Teams"] = form_card(form, language=language)
    return found | {name: list(words_in(view)) for name, view in views.items()}


def every_form() -> Iterator[forms.Form]:
    """Yield each form, for each reader of its reply."""
    for seen_by in SeenBy:
        yield forms.escalation_form("a1", seen_by=seen_by, known=7)
    yield forms.report_form("a1")
    case = next(one.case for _, one in sample_replies() if one.case)
    for is_private in (False, True):
        yield forms.case_answer_form("case_1", is_private=is_private, case=case)
    yield forms.question_form(forms.TITLES[forms.FormName.REPORT])
    yield forms.question_about_form("?", title=forms.TITLES[forms.FormName.REPORT])


_SHOWN = frozenset({"text", "title", "label", "placeholder", "errorMessage", "name", "summary"})
_SHOWN_TOO = frozenset({"accessibility_label", "description", "keywords"})


def words_in(value: object, key: str = "") -> Iterator[str]:
    """Yield what a message or a view shows, line by line and part by part."""
    if isinstance(value, str):
        if not key or key in _SHOWN | _SHOWN_TOO:
            yield from (part.strip() for part in re.split(r"\n|  ?·  ?|\*\*|_", value))
    elif isinstance(value, Mapping):
        for name, one in cast("Mapping[str, object]", value).items():
            yield from words_in(one, name)
    elif isinstance(value, list | tuple):
        for one in cast("Sequence[object]", value):
            yield from words_in(one, key)


def test_nothing_that_germans_read_is_in_english() -> None:
    """Nothing is drawn alike in both languages but quotations, names and numbers."""
    german, english = drawn(DE), drawn(EN)
    mixed: list[str] = []
    for name, lines in german.items():
        same = {one for one in lines if _WORDS.search(_ours(one))} & set(english[name])
        mixed += [f"{name}: {one!r}" for one in sorted(same)]
        mixed += [f"{name}: {one!r}" for one in lines if _ENGLISH.search(_ours(one))]
    assert not mixed


def _ours(line: str) -> str:
    """Return a line without what is quoted or named in it."""
    for quoted in sorted(QUOTED, key=len, reverse=True):
        line = line.replace(quoted, "")
    return re.sub(r"„citebound [^“]*“|`[^`]*`|<[^>]*>|https?://\S+|\{\{.*?\}\}", "", line)
