"""What sounds like a prohibition and forbids nothing: inability, invitations, predictions."""

import re

from core.expressions import expression

SAID_WITHIN = expression(
    r"\A\s*(?:so )?that\b|\b(?:(?:en|as)sur(?:e|es|ing)|(?:make|be) sure|certif(?:y|ies)"
    r"|provides?|shows?|believe|belief|so|means?|agrees?"
    r"|assum(?:e|es|ing)) that\b"
    r"[^,;]{0,80}$",
    re.IGNORECASE,
)
"""Before what is said within another rule ("ensure that the data cannot be read")."""
DEEMS = expression(
    r"\s*(?:be (?:deemed|construed|treated as)|constitute|apply\b(?! for)|mean\b"
    r"|have the (?:\w+ )?(?:meaning|power|discretion|right|authority|option))",
    re.IGNORECASE,
)
"""After "shall": what counts as what, which binds nobody to anything."""
_IN_SOME_CASES = expression(
    r"\b(?:in (?:some|many|certain|most|rare) (?:cases|instances|situations)|sometimes)\b",
    re.IGNORECASE,
)
"""Before "may not": what then is perhaps not possible."""
_CONSTRUED = expression(
    r"\s*be (?:understood|construed|interpreted|read|seen|taken)\b", re.IGNORECASE
)
"""After "should not": how a text is meant, which forbids nobody anything."""
_INVITED = expression(
    r"^\s*(?:hesitate|forget|worry|feel|be (?:afraid|bashful|shy|embarrassed))\b", re.IGNORECASE
)
"""What nobody is forbidden: "do not hesitate to ask" invites."""
_NOT_KNOWN = expression(
    r"\b(?:may|might|can) not (?:have\b|be (?:able|aware|possible|sure|\w+[ai]ble)\b)",
    re.IGNORECASE,
)
"""A possibility, which forbids nothing ("we may not have collected it")."""
_MIGHT_NOT = expression(
    r"\s*(?:\w+ly )?(?:reimburse|cover|approve|hono[u]?r|respond|succeed|qualify|receive|apply"
    r"|need|be (?:sufficient|enough|necessary|required|needed|suitable))\b",
    re.IGNORECASE,
)
"""After "may not": what an organisation perhaps does not do, and is not forbidden to."""
_IS = expression(r"\b(?:is|are|be|was|were|it['\u2019]s|goes|go|strictly)\s*\Z", re.IGNORECASE)
"""Before "against policy" where it forbids, unlike "measured against this policy"."""
_SOME = expression(r"\W*(?:some|many|most)\b", re.IGNORECASE)
"""How a subject begins of which something perhaps is not so ("some letters may not require it")."""
_TO_COME = expression(r"(?:\bwill|['\u2019]ll)\s*$", re.IGNORECASE)
_WILL_NOT = expression(r"(?:will(?: \w+ly)? (?:not|never)|won['\u2019]t)\Z", re.IGNORECASE)
_COMES_SO = expression(
    r"^\s*(?:\w+ly )?(?:see|notice|appear|show|apply|affect|need|have|lose|receive|get|count|know"
    r"|find|work|change|limit|relieve|reduce|interfere|impact|expire|accrue|happen|become|remain|result"
    r"|immuni\w+|cover|include|exist"
    r"|matter|stop|start|begin|end|reflect|cause|help|prevent|take effect"
    r"|be (?:our|your|the|an?|so|\w+ing|\w+[ai]ble)"
    r"|be (?:paid|penali[sz]ed|disciplined|retaliated|charged|counted"
    r"|affected|covered|deducted|required|reimbursed|entitled))\b",
    re.IGNORECASE,
)
"""After "will not": what happens or what somebody is spared, and not what somebody is to leave."""
_CAN_NOT = expression(
    r"(?:cannot(?: and do not)?|can(?:\s*n?['\u2019]t| not)|(?:no one|nobody|none) can)\Z",
    re.IGNORECASE,
)
_IS_BEYOND = expression(
    r"\s*(?:\w+ly )?(?:distinguish|predict|foresee|know|imagine|remember|regain|afford|wait"
    r"|be (?:undone|reversed|recovered|restored|retrieved|guaranteed|known|predicted|foreseen"
    r"|ruled out|determined|changed back))\b",
    re.IGNORECASE,
)
"""After "cannot": what nobody is able to do, and nobody is forbidden."""
_WE = expression(r"\b(?:we|i)\s*$", re.IGNORECASE)
_IS_BEYOND_US = expression(
    r"\s*(?:and (?:do|will|shall) not |in any way )?(?:\w+ly )?(?:guarantee|promise|bind|ensure"
    r"|authori[sz]e|control|offer to|help|verify|accept (?:responsibility|liability))\b",
    re.IGNORECASE,
)
"""After "we cannot": what an organisation tells of its own powers."""
_EXPECTS = expression(r"\s*expect\b", re.IGNORECASE)
_MAY_OR = expression(r"\bmay or\s*$", re.IGNORECASE)
"""Before "may not": what is left open."""
RESERVED = expression(r"\breserves? the right\b", re.IGNORECASE)
"""Before "prohibit": what somebody may do, and has not done."""
_FORBID = frozenset({"prohibit", "forbid"})
_VERB_BEFORE = expression(
    r"\b(?:and|or|to|must|shall|will|may|can|should)\s*$|\w,\s*$", re.IGNORECASE
)
"""Before "prohibit" as what somebody is to do ("block or prohibit payments")."""
_MEANING = expression(r"\bmeaning (?:that )?(?:they|you|it|we|he|she)\s*$", re.IGNORECASE)
"""Before what another rule comes to."""
_DO_NOT = expression(r"(?:please\s+)?do(?:\s+not|n['\u2019]t)\Z", re.IGNORECASE)
_AFTER_COMMA = expression(r",\s*\Z")
_OPENS = expression(
    r"\W*(?:\w+ly\b|if|when|whenever|where|while|unless|before|after|once|until|as|to|in|for|during"
    r"|at|on|by|with|without|since|because|although|though|so|please|instead|otherwise|however"
    r"|also|again|and|but|then|therefore|note|yes|no)\b",
    re.IGNORECASE,
)
"""How a sentence begins in which ", do not" orders; else it has a subject before the comma."""
_KIND = expression(r"\A\s+(?!(?:to|for|in|on|at|by|under|if|when|unless|and|or|as|because)\b)\w")
"""After "unacceptable" where it says of which kind a thing is ("an unacceptable level")."""
_NOT_QUITE = expression(r"\s*(?:necessarily|always)\b", re.IGNORECASE)
"""After "will not" or "may not": what may still be."""
_HAVE = expression(r"(?:\b(?:have|has|had)|['\u2019]ve)\s*$", re.IGNORECASE)
"""Before "never": what has not been, and not what is forbidden."""
_BANNED = frozenset({"prohibited", "forbidden", "banned", "disallowed", "barred"})
_FEW_WORDS = expression(r"[^\w\s]{0,3}\s?(?:[\w'\u2019,-]+\s+){0,3}")
"""Before "prohibited" without a verb where it is a rule ("Smoking prohibited in all rooms");"
" else it
only says which ("a list of programs prohibited from use")."""
_REACH = 60


def is_which(trigger: str, *, ahead: str, after: str) -> bool:
    """Return whether "prohibited" without a verb only says which thing is meant."""
    is_banned = trigger.casefold() in _BANNED and bool(after.strip(" .!"))
    return is_banned and _FEW_WORDS.fullmatch(ahead) is None


def forbids_nothing(trigger: str, *, ahead: str, subject: str, after: str) -> bool:
    """Return whether words of a prohibition are none."""
    said = trigger.casefold()
    if said in {"may not", "might not"} and (
        _IN_SOME_CASES.search(ahead[-_REACH:])
        or _MIGHT_NOT.match(after)
        or _MAY_OR.search(ahead)
        or _SOME.match(subject)
    ):
        return True
    if (_CAN_NOT.search(said) and _is_inability(ahead, after)) or (
        said == "never" and _is_no_ban(subject, after)
    ):
        return True
    if _NOT_QUITE.match(after) and not said.startswith("must"):
        return True
    if _WILL_NOT.search(said):
        return _COMES_SO.match(after) is not None
    if said == "unacceptable":
        return _KIND.match(after) is not None
    return bool(
        (said.startswith("against") and not _IS.search(ahead))
        or is_which(said, ahead=subject, after=after)
        or (said.startswith("prohibit") and RESERVED.search(ahead))
        or (said in _FORBID and _VERB_BEFORE.search(ahead))
        or trigger == "Do Not"
        or (_DO_NOT.match(said) and _EXPECTS.match(after))
        or (_DO_NOT.match(said) and _AFTER_COMMA.search(ahead) and not _OPENS.match(ahead))
        or _CONSTRUED.match(after)
        or DEEMS.match(after)
        or _NOT_KNOWN.search(f"{said}{after}")
        or _INVITED.match(after)
        or SAID_WITHIN.search(subject)
    )


def _is_inability(ahead: str, after: str) -> bool:
    """Return whether "cannot" says what is beyond somebody's power, or what a rule comes to."""
    if _MEANING.search(ahead) or _IS_BEYOND.match(after):
        return True
    return _WE.search(ahead) is not None and _IS_BEYOND_US.match(after) is not None


def _is_no_ban(subject: str, after: str) -> bool:
    """Return whether "never" says what has not been, or what nobody need fear."""
    if _HAVE.search(subject):
        return True
    return _TO_COME.search(subject) is not None and _COMES_SO.match(after) is not None
