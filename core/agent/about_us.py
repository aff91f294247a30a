"""Replies about the assistant itself: what it is, what it records, how far to trust it.

A message is one about us if each sentence of it that asks is, and the message as a whole may be: a
policy question is never answered with a text about us. Such a reply rests on no policy and has no
badge, asks nothing back, and is recorded with a slot of its own. Where others read, what concerns
the asker's data is for the asker alone.
"""

import logging
import re

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

WHOLE = 0.3
"""The least of a message as a whole, of which a part is about us for sure."""
TOLD = 0.8
"""The same of words that ask nothing: somebody may tell of what cannot wait."""
GOING_ON = 0.35
"""Where the message before was about us."""
LONGEST = 300
"""Characters: longer messages tell of something."""
LONGEST_PART = 150
"""The same of a sentence."""
_PART = re.compile(r"[^.?!\n]+[.?!]*")
_LABEL = re.compile(r"\s*+[\w'-]++(?: [\w'-]++)?+:")
"""What names at once what is asked about: "Sick notes: who can read this?"."""
_ABOUT_DATA = PRIVATE - {SelfTopic.SPEAK_UP}

logger = logging.getLogger(__name__)


async def topics_of(question: Question, about: AboutUs) -> frozenset[SelfTopic]:
    """Return what a message asks of us; empty if anything else is asked, too."""
    text = without_greeting(question.text)
    is_pointing = any(one.is_chosen for one in question.context)
    if is_pointing or len(text) > LONGEST or _LABEL.match(text):
        return frozenset()
    if small_talk(text) is SmallTalk.IDENTITY:
        return frozenset({SelfTopic.IDENTITY})
    if about.recognise is None or language_of(text) is not Language.ENGLISH:
        return frozenset()  # of nine policy questions in other languages three were taken for such
    goes_on = bool(question.history) and question.history[-1].slot == ABOUT_US_SLOT
    sure = GOING_ON if goes_on else SURE
    try:
        return await _read(text, text if goes_on else question.own, about.recognise, sure=sure)
    except ContractError as error:
        logger.warning("no question about the assistant is recognised: %s", error)
        return frozenset()


async def _read(
    text: str, whole: str, recognise: SelfQuestions, *, sure: float
) -> frozenset[SelfTopic]:
    found = set[SelfTopic]()
    likely = await recognise.likelihoods(without_greeting(whole))
    if sum(likely.values()) < min(WHOLE, sure):
        return frozenset()
    parts = [part for part in map(str.strip, _PART.findall(text)) if part.strip(" .?!")]
    for part in parts:
        read = await recognise.likelihoods(part) if len(parts) > 1 else likely
        is_short = len(part) <= LONGEST_PART
        if is_short and sum(read.values()) >= (sure if asks(part) else TOLD):
            found.add(max(read, key=lambda topic: read[topic]))
        elif asks(part) and small_talk(part) is None:
            return frozenset()
    return frozenset(found)


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
    own = here.own_text if topics & _ABOUT_DATA else ""
    return "\n\n".join(filter(None, (*(text.of(language) for text in texts), own)))
