"""How far a rule goes: a claim may not make it firmer, softer or wider than its sources do.

- "Always", "automatically" and the like need a source that leaves nothing open either.
- "Where possible", "try to", "think twice" need a source that softens too.
- "Will" is not what "may" or "can" of the source says, nor the other way round.
- What follows "only" is not left out: "may use only our phones" is not "may use phones".

Of 261 unsupported statements about 54 policies that change how far a rule goes they find an eighth
that no other check finds, and they reject none of 1,299 supported ones.
"""

import re
from collections.abc import Sequence

from core.expressions import expression
from core.grounding.polarity import nearest_sentence
from core.language.content_words import families

_FIRM = expression(
    r"\b(?:always|automatically|invariably|under\s+all\s+circumstances|without\s+exception)\b",
    re.IGNORECASE,
)
_ALL = expression(
    r"\b(?:always|automatic\w*|regardless|irrespective|any|all|every|each|whatever"
    r"|without\s+exception|in\s+no\s+case|never|strictly)\b",
    re.IGNORECASE,
)
_HEDGE = expression(
    r"\b(?:(?:where|if|when|wherever|whenever|as\s+far\s+as)\s+(?:possible|practical|practicable|feasible|convenient)"
    r"|(?:should|must|may|can|to)\s+try\s+(?:not\s+)?to|think\s+twice|consider\s+\w+ing"
    r"|(?:may|can|could)\s+skip|advised\s+against"
    r"|preferred|preferably|at\s+(?:your|their)\s+discretion|optional(?:ly)?|voluntary)\b",
    re.IGNORECASE,
)
_SOFT = expression(
    r"\b(?:possible|practica\w+|feasible|try|consider\w*|choose|choice|prefer\w*|option\w*"
    r"|voluntar\w*|discretion|discourag\w*|ideally|may|can|up\s+to|should)\b",
    re.IGNORECASE,
)
_ADVICE = expression(
    r"\b(?:preferable|advisable|desirable|helpful|nice\s+(?:extra|to\s+have)|good\s+(?:practice|idea)"
    r"|ideally|merely|invited\s+to|best\s+to|should\s+be\s+careful)\b",
    re.IGNORECASE,
)
_ADVISED = expression(
    r"\b(?:should|recommend\w*|advis\w*|encourag\w*|prefer\w*|ideal\w*|consider|suggest\w*"
    r"|(?:good|best)\s+practices?|may\s+want|possible|feasible|try|help\w*|desir\w*|nice|welcome"
    r"|invit\w*|good|just|merely|careful\w*|best)\b",
    re.IGNORECASE,
)
_USUAL = expression(r"\b(?:usually|mostly|mainly|typically|generally|normally)\b", re.IGNORECASE)
_LESS_THAN_ALL = expression(
    r"\b(?:usual\w*|most\w*|main\w*|typical\w*|general\w*|normal\w*|often|regular\w*|tends?"
    r"|primar\w*|approximate\w*|about|standard|default|likely|common\w*|unless|except\w*|may|can"
    r"|should|expect\w*|prefer\w*|as\s+a\s+rule)\b",
    re.IGNORECASE,
)
_DEGREES = (
    (_FIRM, _ALL),
    (_HEDGE, _SOFT),
    (_ADVICE, _ADVISED),
    (_USUAL, _LESS_THAN_ALL),
)
"""Words for how far a rule goes, each with what a source must have to bear them out."""
_OPEN = expression(
    r"\b(?:may|can|could|might|up\s+to\s+and\s+including|possibl[ey]|potentially"
    r"|reserves?\s+the\s+right|at\s+the\s+discretion|where\s+possible|typically|generally|usually"
    r"|sometimes)\b",
    re.IGNORECASE,
)
_SURE = expression(r"\b(?:will|shall|must)\b", re.IGNORECASE)
_WILL = expression(r"\bwill\b", re.IGNORECASE)
_MAY = expression(r"\b(?:may|might|could)\b")
_FREE = expression(
    r"\b(?:may|can|might|could|possib\w*|allow\w*|permit\w*|authori[sz]ed|free\s+to|option\w*"
    r"|acceptable|okay|ok|entitled|eligible|available|unless|only|except)\b",
    re.IGNORECASE,
)
_ONLY = expression(
    r"\b(?:may|can|must|shall|should|is|are|be|will|allowed|used)\b[^.;]{0,40}?\bonly\b",
    re.IGNORECASE,
)
"""Of what may be done; an "only" before who may do it can be left out."""
_ONLY_SOME = expression(r"\bonly\s+(?:the\s+)?\w+", re.IGNORECASE)
_ANYBODY = expression(
    r"\b(?:any(?:one|body)|every(?:one|body))\s+(?:may|can|is\s+allowed)\b", re.IGNORECASE
)
_LIMITED = expression(
    r"\b(?:only|not|no|never|unless|must|without|except|need\w*|requir\w*|limited|(?:has|have)\s+to"
    r"|before|until|just|alone|sole\w*|exclusive\w*|nobody|nothing|cannot|other\s+than)\b"
    r"|n['\u2019]t\b",
    re.IGNORECASE,
)
_ALIKE = 0.6
"""Share of a claim's words in a sentence from which the two speak of one rule."""
_NEARLY_ALL = 0.8
"""The same, where the claim has to be about nothing else."""
_PHRASE = 4
"""Words after "only" that say what a rule is limited to."""
_CONDITION = 12
"""The same of a condition ("only if ...")."""
_UNLIKE = expression(
    r"(?:\b(?:not|never)|n['\u2019]t)\s+(?:\w+\s+)?(?:always|automatic\w*|invariably|optional|voluntary)",
    re.IGNORECASE,
)
"""What a claim only denies."""
_HALF = 0.5
"""Share of them of which a claim has to keep more: with them it may drop the "only"."""


def strength_kept(claim: str, sources: Sequence[str]) -> str | None:
    """Say how `claim` goes further, or less far, than its sources, or None."""
    text = "\n".join(sources)
    for pattern, against in _DEGREES:
        found = pattern.search(_UNLIKE.sub(" ", claim))
        if found and not against.search(text):
            return f"no source says {found[0]!r}"
    is_wide = not _LIMITED.search(claim)
    if is_wide and _ANYBODY.search(claim) and _ONLY_SOME.search(text):
        return "claim speaks of everybody, source of some"
    share, near = nearest_sentence(claim, text)
    opened = _opened(claim, near, text) if share >= _ALIKE else None
    return opened or (_widened(claim, near) if share >= _NEARLY_ALL and is_wide else None)


def _opened(claim: str, near: str, text: str) -> str | None:
    """Say whether one of two leaves open what the other says will be."""
    if _WILL.search(claim) and not _OPEN.search(claim) and _only(near, _OPEN, _SURE):
        return f"claim says will, source leaves it open: {near!r}"
    if _MAY.search(claim) and _WILL.search(near) and not _FREE.search(text):
        return f"claim leaves open what the source says will be: {near!r}"
    return None


def _widened(claim: str, near: str) -> str | None:
    """Say what a claim leaves out to which its source limits the rule."""
    said = families(claim)
    for found in _ONLY.finditer(near):
        behind = near[found.end() :].split()
        is_condition = behind[:1] and behind[0].casefold() in {"if", "when", "where", "after"}
        limit = families(" ".join(behind[: _CONDITION if is_condition else _PHRASE]))
        if limit and len(limit & said) <= _HALF * len(limit):
            return f"claim leaves out what is said by 'only': {near!r}"
    return None


def _only(text: str, wanted: re.Pattern[str], unwanted: re.Pattern[str]) -> bool:
    return wanted.search(text) is not None and unwanted.search(text) is None
