"""The one root entity of a message: that it is generated, what it cites, how sensitive that is.

Teams takes 20 citations and the Agents Playground 10; more than one root entity is a 400, and so is
a citation whose sensitivity is not that of the message (platforms, 3.7).
"""

import json

from bot.replies.policy_links import Library, Sensitivity
from bot.replies.source_labels import section_title
from bot.replies.text import line, short
from bot.teams.cards.elements import CARD_TYPE, LONGEST_URL, SCHEMA, VERSION, Card, told
from bot.teams.cards.escape import address
from core.domain.answer import Answer, ShownCitation
from core.domain.run import Json

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
