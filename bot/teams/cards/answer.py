"""An answer in Teams: the card below its words, its citations, and a question back.

A card holds 28 kB, so quotes share a budget. Teams takes 20 citations and the Agents Playground 10;
more than one root entity is a 400, and so is a citation with a sensitivity of its own in a message
without an id: the label is the message's alone.
"""

import json
from collections.abc import Iterable, Iterator

from bot.forms.forms import CHOOSE_ONE
from bot.replies.answer import SOURCES, badge_of, is_generated
from bot.replies.buttons import (
    LISTED,
    REMOVE,
    WHICH_ONE,
    Chooser,
    answer_buttons,
    choices,
    chose_words,
    chosen_words,
    follow_ups,
)
from bot.replies.context import Library, RenderContext, Sensitivity
from bot.replies.notices import ASKED_ELSE
from bot.replies.safe_text import CUT, line, short
from bot.replies.sections import POLICY, section_title
from bot.replies.sources import QUOTES, SINCE, ShownQuote, Source, numbers, shown_sources
from bot.teams.cards.elements import (
    CARD_BYTES,
    CARD_TYPE,
    LONGEST_URL,
    SCHEMA,
    TITLE,
    VERSION,
    Card,
    card,
    collapsed,
    container,
    execute_button,
    fitting,
    press_button,
    rich_text,
    size,
    small_print,
    text_lines,
    text_run,
)
from bot.teams.cards.markdown import address
from bot.teams.protocol import action_ids
from core.domain.answer import Answer, Outcome, ShownCitation
from core.domain.delivery import Clarified
from core.domain.json_value import Json
from core.language.interface.texts import Text
from core.language.languages import Language

SIZES = (QUOTES, 2_000, 800, 0)
"""Characters that quotes may take, tried in turn until the card is small enough."""
WHOLE, WHOLE_LINES, MOST_OPTIONS = 3_000, 30, 10
"""Characters and lines of an answer's words in a dialog, and options of a clarification."""
UNDER_EVIDENCE = Text(
    "The sources are under “Show evidence”.", "Die Quellen stehen unter „Belege anzeigen“."
)
_CHOOSE = Text("Choose", "Auswählen")
_WHICH = Text("Which one?", "Welche Angabe trifft zu?")
_SENSITIVE = Text("Sensitive", "Vertraulich")
RECORD_BYTES = 400
"""What the ids of the record take, which the button for the evidence is given afterwards."""
BUTTONS = 5
"""Options of a clarification beyond this many are a list: Teams shows six buttons at most."""
CITATIONS = 10
NAME, ABSTRACT = 80, 160
KEYWORDS, KEYWORD = 3, 28
IN_CONTEXT = 1_200
"""Characters of a quote that opens on a click."""
LABEL = "citebound-sensitivity"


def answer_card(answer: Answer, ours: str, context: RenderContext) -> Card | None:
    """Return the card, at most 28 kB; None: there is nothing to show or to do."""
    if not ours and not answer.quoted:
        return None
    buttons = list(_buttons(answer, ours, context)) if ours else []
    if not buttons and not _sources(answer, ours, context, quotes=0):
        return None  # Teams draws an empty box

    def made(quotes: int) -> Card:
        return card(_sources(answer, ours, context, quotes=quotes), buttons)

    most = CARD_BYTES - RECORD_BYTES
    shown = fitting(SIZES, made, most=most)
    return (
        shown
        if size(shown) <= most
        else card([small_print(UNDER_EVIDENCE.of(context.language))], buttons)
    )


def whole_card(answer: Answer, library: Library, language: Language = Language.ENGLISH) -> Card:
    """Return all of an answer, for a dialog; at most 28 kB."""
    head = badge_of(answer, language)
    words = short(answer.text, WHOLE, library.hosts, mark=CUT.of(language))
    options = [line(one, limit=200) for one in answer.options[:MOST_OPTIONS]]
    above = [
        *([rich_text(text_run(head.words, weight="Bolder"))] if head else []),
        *text_lines(words, lines=WHOLE_LINES),
        *(rich_text(text_run(f"• {one}")) for one in options),
    ]

    def made(quotes: int) -> Card:
        sources = source_items(answer.quoted, library, language, quotes=quotes)
        return card([*above, *sources], is_wide=False)

    return fitting(SIZES, made)


def source_items(
    citations: tuple[ShownCitation, ...], library: Library, language: Language, *, quotes: int
) -> list[Card]:
    """Return the sources; `quotes`: characters that all quotes together may take."""
    found = shown_sources(citations, library, quotes=quotes, language=language)
    items = [item for source, shown in found.sources for item in _source(source, shown)]
    return [*items, *([small_print(found.more)] if found.more else [])]


def _sources(answer: Answer, ours: str, context: RenderContext, *, quotes: int) -> list[Card]:
    if not answer.quoted or answer.is_closest:  # the text says where a closest passage stands
        return []
    language = context.language
    items = source_items(answer.quoted, context.library, language, quotes=quotes)
    title = SOURCES.format(count=len(answer.quoted)).of(language)
    return collapsed(title, f"src:{ours}", items)


def _source(source: Source, quotes: Iterable[ShownQuote]) -> Iterator[Card]:
    if source.is_first:
        yield rich_text(text_run(source.policy, weight="Bolder"), spacing="Medium")
    mark = text_run(f"{numbers(source.quotes)} ")
    yield rich_text(mark, text_run(source.section, url=source.url), spacing="Small")
    for quote in quotes:
        if quote.text:
            shown = f"{quote.mark}“{quote.text}{'' if quote.rest else '”'}"
            yield container(text_lines(shown), style="emphasis", spacing="Small")
        if quote.rest:
            yield small_print(quote.rest)
    if source.about:
        yield small_print(source.about)


def _buttons(answer: Answer, ours: str, context: RenderContext) -> Iterator[Card]:
    data = action_ids.data_of(action_ids.ANSWER_KEY, ours)
    for one in answer_buttons(answer, may_share=False):  # nothing is asked from a channel here
        yield press_button(one, data, context.language)
    if context.is_public:  # in a chat with one person they are suggested below the composer
        for number, asked in enumerate(follow_ups(answer)):
            of_answer = action_ids.data_of(action_ids.ANSWER_KEY, ours, number)
            yield execute_button(action_ids.FOLLOW_UP, line(asked, limit=TITLE), of_answer)
    if answer.outcome is Outcome.ANSWERED and context.asker:
        yield press_button(REMOVE, data, context.language) | {"mode": "secondary"}


def clarification_card(answer: Answer, ours: str, language: Language) -> Card | None:
    """Return a card with the options; None if there are none."""
    if not answer.options or not ours:
        return None
    if len(answer.options) <= BUTTONS:
        return card([], _option_buttons(answer, ours, language))
    data = action_ids.data_of(action_ids.CLARIFICATION_KEY, ours)
    choose = execute_button(action_ids.CLARIFY, _CHOOSE.of(language), data)
    return card([_list(answer, language)], [choose])


def clarified_card(clarified: Clarified, who: str | None, language: Language) -> Card:
    """Return the card that replaces the options of a question back once it is answered.

    `who` chose; empty: nobody is named; None: whoever reads it.
    """
    if not clarified.chosen:
        return card([small_print(ASKED_ELSE.of(language))])
    before, after = (one.of(language) for one in chose_words(who=chooser(who)))
    chose = text_run(f"{who or ''}{before}")
    said = line(chosen_words(clarified.chosen, language), limit=200)
    chosen = text_run(said, weight="Bolder")
    return card([rich_text(chose, chosen, text_run(after))])


def chooser(who: str | None) -> Chooser:
    """Return who is said to have chosen: see `clarified_card`."""
    return "you" if who is None else "named" if who else "nobody"


def _option_buttons(answer: Answer, ours: str, language: Language) -> Iterator[Card]:
    for choice, title in choices(answer, limit=TITLE, most=BUTTONS, language=language):
        data = action_ids.data_of(action_ids.CLARIFICATION_KEY, ours, choice)
        yield execute_button(action_ids.CLARIFY, title, data)


def _list(answer: Answer, language: Language) -> Card:
    offered = choices(answer, limit=TITLE, most=LISTED, language=language)
    listed: list[Json] = [{"title": title, "value": choice} for choice, title in offered]
    return {
        "type": "Input.ChoiceSet",
        "id": action_ids.CHOICE,
        "label": WHICH_ONE.of(language),
        "isRequired": True,
        "errorMessage": CHOOSE_ONE.of(language),
        "choices": listed,
    }


def root_entity(
    answer: Answer,
    library: Library,
    *,
    with_cards: bool,
    language: Language = Language.ENGLISH,
) -> Card:
    """Return the one root entity of a message: what it cites, how sensitive, whether generated.

    Args:
        answer: what is shown.
        library: links and sensitivity.
        with_cards: True: each citation opens on a click and shows its quote.
        language: of what is said around the quotes.
    """
    label = _strictest(answer, library)
    cited = [_claim(one, library, with_cards, language) for one in answer.quoted[:CITATIONS]]
    made = bare_entity(answer)
    if label is not None:
        made["usageInfo"] = _usage(label, language)
    return made | ({"citation": list[Json](cited)} if cited else {})


def bare_entity(answer: Answer) -> Card:
    """Return the root entity without citations; only what a model wrote is labelled as that."""
    made: Card = {
        "type": "https://schema.org/Message",
        "@type": "Message",
        "@context": "https://schema.org",
        "@id": "",
    }
    return made | ({"additionalType": ["AIGeneratedContent"]} if is_generated(answer) else {})


def _claim(cited: ShownCitation, library: Library, with_card: bool, language: Language) -> Card:
    place, quote = cited.place, short(cited.quote, IN_CONTEXT, library.hosts)
    version = line(place.version_label, limit=20) if place.version_label else ""
    document: Card = {
        "@type": "DigitalDocument",
        "name": line(section_title(place, language), limit=NAME) or POLICY.of(language),
        "abstract": line(cited.quote, library.hosts, limit=ABSTRACT) or "-",
    }
    url = library.url(place)
    if url is not None and len(url) <= LONGEST_URL:
        document["url"] = address(url)
    since = SINCE.format(day=cited.effective_from or "").of(language)
    said = (version, since if cited.effective_from else "")
    keywords = [line(one, limit=KEYWORD) for one in said if one]
    if keywords:
        document["keywords"] = list[Json](keywords[:KEYWORDS])
    if with_card:
        document |= {"encodingFormat": CARD_TYPE, "text": _card(quote)}
    return {"@type": "Claim", "position": cited.number, "appearance": document}


def _card(quote: str) -> str:
    """Return a card of a quote, as text; it has no actions, or Teams refuses it."""
    body = text_lines(quote) or text_lines("-")
    made = {"type": "AdaptiveCard", "$schema": SCHEMA, "version": VERSION, "body": body}
    return json.dumps(made, ensure_ascii=False, separators=(",", ":"))


def _strictest(answer: Answer, library: Library) -> Sensitivity | None:
    found = [library.shelf(one.place).sensitivity for one in answer.quoted]
    return max((one for one in found if one), key=lambda one: one.rank, default=None)


def _usage(label: Sensitivity, language: Language) -> Card:
    return {
        "@type": "CreativeWork",
        "@id": LABEL,
        "name": line(label.name, limit=80) or _SENSITIVE.of(language),
        "description": line(label.description.of(language), limit=200) or "-",
    }
