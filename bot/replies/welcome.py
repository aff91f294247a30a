"""What somebody is told who greets us, or meets us first: how it works, and what can be asked.

The questions are those that this deployment answers; where there is none, that is said.
"""

from dataclasses import dataclass

from bot.replies.notices import HOW, HOW_IT_WORKS
from bot.replies.safe_text import line
from core.language.interface.texts import Text
from core.language.languages import Language
from core.ports.starters import Starter, StarterSet

BEGIN = Text(
    "Try one of these, or ask your own question:",
    "Sie können mit einer dieser Fragen beginnen oder Ihre eigene schreiben:",
)
NOTHING_PUBLISHED = Text(
    "No policies have been published yet, so I can't answer anything. Please come back later.",
    "Es sind noch keine Richtlinien veröffentlicht, daher kann ich noch nichts beantworten. Bitte"
    " kommen Sie später wieder.",
)
QUESTION = 150
"""Characters of a question where it stands as text."""
ASK_ANYTHING = Text(
    "Write your question in your own words.", "Schreiben Sie Ihre Frage in Ihren eigenen Worten."
)
_QUESTION = Text("Question {number}", "Frage {number}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Welcome:
    """A welcome in words, before a platform draws it."""

    first: str
    """What this is."""
    lines: tuple[str, ...]
    """How to ask, and what to know."""
    offer: str
    """What stands above the questions, or in their place."""
    starters: tuple[Starter, ...]
    """Questions, each a button."""

    def text(self, name: str) -> str:
        """Return all of it as text."""
        asked = [f"\u2022 {line(one.question, limit=QUESTION)}" for one in self.starters]
        return "\n".join([f"{name}: {self.first}", *self.lines, self.offer, *asked])


def button_text(
    number: int, starter: Starter, *, limit: int, language: Language = Language.ENGLISH
) -> str:
    """Return what a button says: the question, which a platform may have to cut."""
    return line(starter.question, limit=limit) or _QUESTION.format(number=number + 1).of(language)


def welcome_of(found: StarterSet | None, *, how_to_ask: Text, language: Language) -> Welcome:
    """Return the welcome; None of starters: nobody knows of any."""
    starters = found.starters if found else ()
    return Welcome(
        first=HOW_IT_WORKS.of(language),
        lines=tuple(one.of(language) for one in (how_to_ask, *HOW)),
        offer=(BEGIN if starters else offer_of(found)).of(language),
        starters=starters,
    )


def offer_of(found: StarterSet | None) -> Text:
    """Return what stands in place of questions."""
    is_empty = found is not None and found.edition is None
    return NOTHING_PUBLISHED if is_empty else ASK_ANYTHING
