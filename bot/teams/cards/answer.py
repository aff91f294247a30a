"""The card below an answer: sources that open on a click, and what can be done."""

import json
from collections.abc import Iterator

from bot.replies.answer import ANSWERS_IT, FOR_ALL, asks_compliance, head_of, offers_all
from bot.replies.context import Library, Sensitivity
from bot.replies.safe_text import line, short
from bot.replies.sources import (
    QUOTES,
    SHOWN,
    Room,
    Source,
    missing,
    more_sources,
    numbers,
    section_title,
    sources,
)
from bot.replies.text_reply import CUT
from bot.teams.cards.elements import (
    CARD_TYPE,
    LONGEST_URL,
    SCHEMA,
    TITLE,
    VERSION,
    Card,
    card,
    collapsed,
    container,
    dialog,
    execute,
    rich,
    run,
    small,
    told,
)
from bot.teams.cards.limits import CARD_BYTES, size
from bot.teams.cards.markdown import address
from bot.teams.cards.render_context import Setting
from bot.teams.protocol import action_ids
from core.domain.answer import Answer, Outcome, ShownCitation
from core.domain.json_value import Json
from core.domain.question import ALL


def source_items(
    citations: tuple[ShownCitation, ...], library: Library, *, quotes: int
) -> list[Card]:
    """Return what is shown of the sources; `quotes`: how many characters all quotes may take."""
    room = Room(left=quotes)
    found = list(sources(citations, library))
    items = [item for source in found[:SHOWN] for item in _source(source, library, room)]
    return [*items, *([small(more_sources(found[SHOWN:]))] if len(found) > SHOWN else [])]


def _source(source: Source, library: Library, room: Room) -> Iterator[Card]:
    mark = run(f"{numbers(source.quotes)} ", weight="Bolder")
    title = run(source.title, url=source.url, weight="Bolder")
    yield rich(mark, title, spacing="Medium")
    if source.about:
        yield small(source.about)
    several = len(source.quotes) > 1
    for quote in source.quotes:
        taken = room.take(quote.quote, library.hosts)
        if taken.text:
            first = f"[{quote.number}] " if several else ""
            shown = f"{first}“{taken.text}{'”' if taken.is_whole else ''}"
            yield container(told(shown), style="emphasis", spacing="Small")
        if not taken.is_whole:
            yield small(missing(taken.text, quote.quote))


CITATIONS = 10
NAME, ABSTRACT = 80, 160
KEYWORDS, KEYWORD = 3, 28
IN_CONTEXT = 1_200
"""Characters of a quote that opens on a click."""
LABEL = "citebound-sensitivity"


def root_entity(answer: Answer, library: Library, *, with_cards: bool) -> Card:
    """Return the entity.

    Args:
        answer: what is shown.
        library: links and sensitivity.
        with_cards: True: each citation opens on a click and shows its quote.
    """
    label = _strictest(answer, library)
    cited = [_claim(one, library, label, with_cards) for one in answer.citations[:CITATIONS]]
    made: Card = {
        "type": "https://schema.org/Message",
        "@type": "Message",
        "@context": "https://schema.org",
        "@id": "",
        "additionalType": ["AIGeneratedContent"],
    }
    if label is not None:
        made["usageInfo"] = _usage(label)
    return made | ({"citation": list[Json](cited)} if cited else {})


def _claim(
    cited: ShownCitation, library: Library, label: Sensitivity | None, with_card: bool
) -> Card:
    place, quote = cited.place, short(cited.quote, IN_CONTEXT, library.hosts)
    version = line(place.version_label, limit=20) if place.version_label else ""
    document: Card = {
        "@type": "DigitalDocument",
        "name": line(section_title(place), limit=NAME) or "Policy",
        "abstract": line(cited.quote, library.hosts, limit=ABSTRACT) or "-",
    }
    url = library.url(place)
    if url is not None and len(url) <= LONGEST_URL:
        document["url"] = address(url)
    said = (version, f"since {cited.effective_from}" if cited.effective_from else "")
    keywords = [line(one, limit=KEYWORD) for one in said if one]
    if keywords:
        document["keywords"] = list[Json](keywords[:KEYWORDS])
    if with_card:
        document |= {"encodingFormat": CARD_TYPE, "text": _card(quote)}
    own = library.sensitivity(place)
    if label is not None and own == label:
        document["usageInfo"] = _usage(label)
    return {"@type": "Claim", "position": cited.number, "appearance": document}


def _card(quote: str) -> str:
    """Return a card of a quote, as text; it has no actions, or Teams refuses it."""
    body = told(quote) or told("-")
    made = {"type": "AdaptiveCard", "$schema": SCHEMA, "version": VERSION, "body": body}
    return json.dumps(made, ensure_ascii=False, separators=(",", ":"))


def _strictest(answer: Answer, library: Library) -> Sensitivity | None:
    found = [library.sensitivity(one.place) for one in answer.citations]
    return max((one for one in found if one), key=lambda one: one.rank, default=None)


def _usage(label: Sensitivity) -> Card:
    return {
        "@type": "CreativeWork",
        "@id": LABEL,
        "name": line(label.name, limit=80) or "Sensitive",
        "description": line(label.description, limit=200) or "-",
    }


BUTTONS = 5
"""Options beyond this many are a list: Teams shows six buttons at most."""
CHOICES = 60
CHOOSE = "Choose"


def clarification_card(answer: Answer, ours: str) -> Card | None:
    """Return the options; None: there are none, and a reply will do."""
    if not answer.options or not ours:
        return None
    if len(answer.options) <= BUTTONS:
        return card([], _buttons(answer, ours))
    data = action_ids.data_of(action_ids.CLARIFICATION_KEY, ours)
    return card([_list(answer)], [execute(action_ids.CLARIFY, CHOOSE, data)])


def chosen_card(option: str) -> Card:
    """Return what takes the place of the options once one was chosen."""
    chosen = run(line(option, limit=200), weight="Bolder")
    return card([rich(run("You chose "), chosen, run("."))])


def _buttons(answer: Answer, ours: str) -> Iterator[Card]:
    for choice, title in _choices(answer):
        data = action_ids.data_of(action_ids.CLARIFICATION_KEY, ours, choice)
        yield execute(action_ids.CLARIFY, title, data)


def _choices(answer: Answer) -> Iterator[tuple[str, str]]:
    for number, option in enumerate(answer.options[:CHOICES]):
        yield str(number), line(option, limit=TITLE) or f"Option {number + 1}"
    if offers_all(answer):
        yield ALL, FOR_ALL


def _list(answer: Answer) -> Card:
    choices: list[Json] = [{"title": title, "value": choice} for choice, title in _choices(answer)]
    return {
        "type": "Input.ChoiceSet",
        "id": action_ids.CHOICE,
        "label": "Which one?",
        "isRequired": True,
        "errorMessage": "Choose one",
        "choices": choices,
    }


_ROOMS = (QUOTES, 2_000, 800, 0)
"""Characters that quotes may take, tried in turn until the card is small enough."""
WHOLE, WHOLE_LINES, MOST_OPTIONS = 3_000, 30, 10
"""Characters and lines of an answer's words in a dialog, and options of a clarification."""
UNDER_EVIDENCE = "The sources are under “Show evidence”."


def answer_card(answer: Answer, ours: str, setting: Setting) -> Card | None:
    """Return the card, at most 28 kB; None: there is nothing to show or to do."""
    if not ours and not answer.citations:
        return None
    deeds = list(_deeds(answer, ours, setting)) if ours else []
    for quotes in _ROOMS:
        made = card(_sources(answer, ours, setting, quotes=quotes), deeds)
        if size(made) <= CARD_BYTES:
            return made
    return card([small(UNDER_EVIDENCE)], deeds)


def whole_card(answer: Answer, setting: Setting) -> Card:
    """Return all of an answer, for a dialog; at most 28 kB."""
    head = head_of(answer)
    made = card([])
    for quotes in _ROOMS:
        words = short(answer.text, WHOLE, setting.library.hosts, mark=CUT)
        body = [
            *([rich(run(head.words, weight="Bolder"))] if head else []),
            *told(words, lines=WHOLE_LINES),
            *(rich(run(f"• {line(one, limit=200)}")) for one in answer.options[:MOST_OPTIONS]),
            *source_items(answer.citations, setting.library, quotes=quotes),
        ]
        made = card(body, is_wide=False)
        if size(made) <= CARD_BYTES:
            break
    return made


def _sources(answer: Answer, ours: str, setting: Setting, *, quotes: int) -> list[Card]:
    if not answer.citations or answer.is_closest:  # the text says where a closest passage stands
        return []
    items = source_items(answer.citations, setting.library, quotes=quotes)
    return collapsed(f"Sources ({len(answer.citations)})", f"src:{ours}", items)


def _deeds(answer: Answer, ours: str, setting: Setting) -> Iterator[Card]:
    data = action_ids.data_of(action_ids.ANSWER_KEY, ours)
    evidence = dialog(action_ids.EVIDENCE, "Show evidence", data)
    is_answered = answer.outcome is Outcome.ANSWERED
    if answer.is_closest:
        yield execute(action_ids.ANSWERS, ANSWERS_IT, data)
        yield dialog(action_ids.ESCALATE, asks_compliance(answer), data)
        yield evidence
        return
    if answer.citations:
        yield evidence
    is_main = not is_answered and answer.case_number is None
    style = {"style": "positive"} if is_main else {}
    yield dialog(action_ids.ESCALATE, asks_compliance(answer), data, **style)
    if not is_answered:
        return
    yield dialog(action_ids.REPORT, "Report a problem", data)
    if setting.may_share:
        yield execute(action_ids.SHARE, "Share in channel", data)
    if setting.asker:
        yield execute(action_ids.REMOVE, "Remove this answer", data, mode="secondary")
