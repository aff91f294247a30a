"""Replies about the assistant itself: what it is, what it records, how far to trust it.

A message is one about us if it, or a sentence of it, surely is, and no sentence that asks surely is
not: a policy question is never answered with a text about us. Such a reply rests on no policy and
has no badge, asks nothing back, and is recorded with a slot of its own. Where others read, what
concerns the asker's data is for the asker alone.
"""

import logging
import re
from collections.abc import Mapping

from core.agent.about_us_wording import (
    ABOUT_US,
    BY_MODEL,
    BY_RULES,
    NOT_SEALED,
    NOT_SENT,
    SEALED,
    SEARCHED,
    SENT,
    TRACED,
)
from core.agent.conversation.small_talk import SmallTalk, small_talk, without_greeting
from core.agent.conversation.speech import asks
from core.domain.errors import ContractError
from core.domain.question import ABOUT_US_SLOT, PRIVATE, SURE, Deployment, Question, SelfTopic
from core.language.languages import Language, language_of
from core.ports.text_models import AboutUs, SelfQuestions

LEAST = 0.1
"""How likely the whole has to be about us at least."""
OTHER = 0.03
"""How likely a sentence that asks is at most, that surely asks something else: nine in ten policy
questions are."""
GOING_ON = 0.35
"""How sure a message is where the one before was about us."""
FOREIGN = 0.98
"""How sure a message is in another language than English, for which the embedder was not made. Of
124 that look alike, which a fit had not seen, two are taken for such from it on."""
LONGEST = 400
"""Characters: longer messages tell of something."""
ALSO = 0.5
"""How likely another topic has to be, of the likeliest, to be answered too."""
MOST_ASKED = 8
"""Sentences that ask: more are read by nobody."""
_PART = re.compile(r"[^.?!\n]+[.?!]*")
_GOES_ON = re.compile(r"(?:\S+ ){0,5}(?:that|it|this|he|she|they|him|her|them)\b", re.IGNORECASE)
"""A sentence that only the one before explains: "Can that be wiped?"."""
_RESTS = re.compile(
    r"(?:(?:\w+ ){0,2}(?:who|whom|what|where|when|how|why)\b(?: \w+){0,3}"
    r"|(?:or|from|to|by|for)\b[^.?!]{0,60})\W*",
    re.IGNORECASE,
)
"""The same, if the whole message surely is about us: "Who do I tell?", "And for how long?"."""
_LABEL = re.compile(r"\s*+[\w'-]++(?: [\w'-]++)?+:")
"""What names at once what is asked about: "Sick notes: who can read this?"."""

logger = logging.getLogger(__name__)


async def topics_of(
    question: Question, about: AboutUs, *, sure: float = SURE
) -> frozenset[SelfTopic]:
    """Return what a message asks of us; empty if anything else is asked, too."""
    text = without_greeting(question.text)  # a follow-up to what the policies say is for them
    if any(one.is_chosen for one in question.context) or len(text) > LONGEST or _LABEL.match(text):
        return frozenset()
    if small_talk(text) is SmallTalk.IDENTITY:
        return frozenset({SelfTopic.IDENTITY})
    if about.recognise is None:
        return frozenset()
    goes_on = bool(question.history) and question.history[-1].slot == ABOUT_US_SLOT
    if language_of(text) is not Language.ENGLISH:
        sure = FOREIGN
    elif goes_on:
        sure = GOING_ON
    try:
        return await _read(text, about.recognise, sure=sure)
    except ContractError as error:
        logger.warning("no question about the assistant is recognised: %s", error)
        return frozenset()


async def _read(text: str, recognise: SelfQuestions, *, sure: float) -> frozenset[SelfTopic]:
    likely = await recognise.likelihoods(text)
    if sum(likely.values()) < LEAST:
        return frozenset()
    whole = _sure_topics(text, likely, sure)
    parts = [part for part in map(str.strip, _PART.findall(text)) if part.strip(" .?!")]
    asked = [part for part in parts if asks(part)] if len(parts) > 1 else []
    if len(asked) > MOST_ASKED:
        return frozenset()
    topics = set[SelfTopic]()
    for part in asked:
        read = await recognise.likelihoods(part)
        is_other = sum(read.values()) < OTHER and small_talk(part) is None
        is_rest = _GOES_ON.match(part) or (whole and _RESTS.fullmatch(part))
        if is_other and not (part != parts[0] and is_rest):
            return frozenset()
        topics |= _sure_topics(part, read, sure)
    return frozenset((topics or whole) if len(asked) > 1 else (whole or topics))


def _sure_topics(text: str, likely: Mapping[SelfTopic, float], sure: float) -> set[SelfTopic]:
    """Return the topics of a text, if sure; what asks nothing may tell of what cannot wait."""
    needed = sure if asks(text) else max(sure, SURE)
    least = ALSO * max(likely.values())
    is_sure = sum(likely.values()) >= needed
    return {topic for topic, share in likely.items() if share >= least} if is_sure else set()


def said_of(topics: frozenset[SelfTopic], here: Deployment, language: Language) -> str:
    """Return what is said of topics, each in its paragraph; empty: nothing about us."""
    sent = SENT.format(model=here.model) if here.model else NOT_SENT
    if here.embedder:
        sent += SEARCHED.format(service=here.embedder)
    if here.is_traced:
        sent += TRACED
    places = {
        "sent": sent,
        "writes": BY_MODEL.format(model=here.model) if here.model else BY_RULES,
        "sealed": SEALED if here.is_sealed else NOT_SEALED,
    }
    texts = [ABOUT_US[one].format(**places) for one in SelfTopic if one in topics & ABOUT_US.keys()]
    own = here.own_text if topics & PRIVATE - {SelfTopic.SPEAK_UP} else ""
    return "\n\n".join(filter(None, (*(text.of(language) for text in texts), own)))
