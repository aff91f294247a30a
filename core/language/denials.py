"""The words with which a text denies, and how many of them it has.

An odd number turns a sentence round, an even one leaves it: "must not be ignored".
"""

import re

_NEGATION = re.compile(
    r"\b(?:(?<!\bif\s)not(?!\s+(?:only|limited|enough|sufficient|later|more|less|fewer|exceeding|longer|greater|above)\b)"
    r"|no(?!\s+(?:later|more|less|fewer|matter|longer\s+than)\b)|never|neither|none|nobody|nothing"
    r"|cannot|unless|without|except(?:\s+(?:if|when|where|for|with|in))?|prohibit\w*|forbid\w*"
    r"|avoid\w*|refrain\w*|declin\w*|refus\w*|unable|unacceptable|discourag\w*|exempt\w*"
    r"|ignor\w*|off[\s-]limits|barred)\b|n['\u2019]t\b",
    re.IGNORECASE,
)
OF_SOMEBODY = re.compile(
    r"\bwho\s(?:\w+\s){0,2}?(?:not|never|cannot|\w+n['\u2019]t)\b", re.IGNORECASE
)
"""A negation that says of whom or what is spoken, and denies nothing of it."""
_UNDENYING = re.compile(
    rf"{OF_SOMEBODY.pattern}|\b(?:nobody|no\s+one|none|nothing|no\s+(?!choice)\w+)\s+(?:but|other\s+than)\b"
    r"|\b(?:is|are|was|were)(?:\s+not|n['\u2019]t)\s+(?:[\w'\u2019-]+\s+){1,6}?but\b"
    r"(?!\s+(?:may|must|can|they|you|it|we)\b)",
    re.IGNORECASE,
)
"""The same, and what is said of others ("nobody but the owner", "not the owner but the tenant")."""
NEGLECT = re.compile(
    r"\b(?:skip|miss|wait|delay|postpon|neglect|ignor|omit|discard|delet|destroy|forg[eo]t|fail"
    r"|conflict|violat|bypass|withh[eo]ld|refus|excus|exempt|barr|overlook|hid|abandon|circumvent)"
    r"(?:p|t)?(?:e|s|es|ed|d|en|ten|ing)?\b"
    r"|\bsit\s+on\b|\bleft\s+(?:out|open|to)\b|\bleave\s+out\b|\bgo(?:es)?\s+(?:without|un\w+)",
    re.IGNORECASE,
)
"""Not to do one of these is to do what a duty says: "must not be skipped", "may not wait"."""


def is_negated(text: str) -> bool:
    """Say whether a text has an odd number of negations."""
    return negations(text) % 2 == 1


def negations(text: str) -> int:
    """Count what denies in a text, but for what says of whom it speaks."""
    return len(_NEGATION.findall(_UNDENYING.sub(" ", text)))
