"""The words by which reports of misconduct are recognised, language by language.

Patterns are for text that is case-folded and without accents; German umlauts are written out, and
their `e` may be missing.
"""

import re
from dataclasses import dataclass

from core.expressions import expression


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportWords:
    """What is looked for in one language; see `recognise`."""

    somebody: re.Pattern[str]
    """Somebody who may be accused."""
    victim: re.Pattern[str]
    """The asker, as whom something is done to."""
    harm: re.Pattern[str]
    """What is done to people."""
    deed: re.Pattern[str]
    """What is done against rules or the company."""
    blamed: re.Pattern[str]
    """Somebody is to be reported, or suspected."""
    confessed: re.Pattern[str]
    """The asker did it."""
    spoke: re.Pattern[str]
    """The asker spoke up before..."""
    suffers: re.Pattern[str]
    """...and is worse off."""
    asks: re.Pattern[str]
    """How what asks begins."""
    asks_later: re.Pattern[str]
    """How what asks begins after a comma, where what describes somebody can stand too."""
    everyday: re.Pattern[str]
    """What happens to somebody whom nobody would complain of: a holiday, a farewell."""
    granted: re.Pattern[str]
    """In a question: what it takes for granted follows."""
    supposes: re.Pattern[str]
    """What follows is supposed."""
    modal: re.Pattern[str]
    """What follows is allowed, required or forbidden."""
    by_mistake: re.Pattern[str]
    """It happened by mistake: a matter of rules."""
    lost: re.Pattern[str]
    """A theft by nobody known, which is a loss to be told to IT."""
    greeting: re.Pattern[str]
    """What a message may begin with."""
    insider: re.Pattern[str]
    """Somebody of the asker's company, or he or she."""
    done_to_me: re.Pattern[str]
    """What somebody who is not named did to the asker; read only where nothing at all is asked."""
    helps: re.Pattern[str]
    """A question that asks for help alone: it asks for no rule."""
    why: re.Pattern[str]
    """A question why somebody may do something."""


def any_of(*patterns: str) -> re.Pattern[str]:
    """Return a pattern that finds one of several, each from the beginning of a word on."""
    return expression("|".join(rf"\b(?:{one})" for one in patterns))
