"""What sounds like a rule and binds nobody: chances, hopes, purposes, predictions, invitations.

A fact that is not there is looked up in the text; a wrong one misleads whoever asks. Of 91 facts of
all kinds in two handbooks, 7 were wrong, 6 of them rules (`docs/quality.md`).
"""

import re

from core.expressions import expression
from core.language.modality import Modality
from core.language.text_cache import word_pattern
from core.ontology.extract.not_forbidding import DEEMS, RESERVED, SAID_WITHIN, forbids_nothing

_TOLD = expression(
    r"\b(?:how|what|when|where|which|why|whom?)\s+(?:\w+\s+){0,2}$"
    r"|\b(?:whether|what)\s+(?:\w+\s+){0,5}$"
    r"|(?<!,)\s(?:which|how)\s+(?:\w+\s+){0,4}$"
    r"|(?:\A|(?<![,;:.])\s)(?:tools?|equipment|something|anything|everything|things?|information"
    r"|help|time"
    r"|support|resources?|access|skills?)\s+(?:we|you|they|employees)\s*(?:will\s*)?$",
    re.IGNORECASE,
)
"""Before a modal verb within what somebody knows or has ("how we should act", "the tools we need
to work")."""
_PERHAPS = expression(
    r"\b(?:may|might|can|could|will (?:probably|likely|perhaps))\s*$", re.IGNORECASE
)
"""Before "need to": what is perhaps needed is not required."""
_NEEDS_OF = expression(
    r"(?:['\u2019]s?|\b(?:the|an?|any|no|our|your|their|its|this|that|such))\s*$", re.IGNORECASE
)
"""Before "need" as a noun ("the Company's needs to operate")."""
_ONLY = expression(r"\bonly\s*$", re.IGNORECASE)
"""Before "need" where it says that nothing more is ("you only need a phone")."""
_WHICH_THING = expression(
    r"\b(?:the|any|all)\s(?:[\w-]+\s){1,3}(?:you|we|they)\s(?:will\s)?$", re.IGNORECASE
)
"""Before "need" where it says which things ("the papers you will need your doctor to sign")."""
_PURPOSE = expression(r"\bso (?:that )?[^,;]{1,60}$", re.IGNORECASE)
"""Before "can": what something is for, and not what is allowed."""
_WHICH = expression(
    r"\A\W*(?:any|all|other|some|which)\s(?:[\w-]+\s){1,2}(?:the|an?|your|our|each|their|we|you"
    r"|they)"
    r"\b(?:\s[\w-]+){0,2}\s*$"
    r"|\b(?:that|which|whatever) (?:[\w-]+ )?(?:they|you|we|he|she|it)"
    r" (?:believe|think|feel|hope|know|expect)s?\s*$"
    r"|\b(?:all|any|every|each|the|those)\s(?:[\w-]+\s){1,4}(?:that|which)\s(?:you|we|they|he|she"
    r"|it)"
    r"\s(?:will\s|\w+ly\s)?$",
    re.IGNORECASE,
)
"""Before what only says of which things ("all of the actions that you will need to complete")."""
_AS_HOPED = expression(
    r"^\s*(?:already|now)\b|^\s*be (?:noted|remembered|emphasi[sz]ed|pointed out|done|fine"
    r"|ok(?:ay)?|good|all set|enough|easy|obvious"
    r"|straightforward"
    r"|simple|clear|ready"
    r"|familiar|auto\w*)\b|^\s*(?:come up|appear|pop up|show up|look like|open up|see\b|know\b"
    r"|have (?:it|access|already|received|been)\b)",
    re.IGNORECASE,
)
"""After "should": what is likely, and not what somebody is to do."""
_WHATEVER_IS = expression(
    r"\b(?:any|all|other|such|whatever|the|(?<=\w\s)an?)\s+(?:[\w-]+\s+){1,3}$", re.IGNORECASE
)
"""Before "required" alone, which then only says of which things ("any notes required")."""
_WE_ADVISE = expression(
    r"(?:\A|\b(?:we|i|it|policy|company|team|please|strongly|highly|generally))\W*$", re.IGNORECASE
)
"""Before "recommend" as advice to the reader, and not as a task ("investigate and recommend")."""
_REMARKED = expression(r"\w\s\([^()]{0,80}$")
"""Before "required" in a remark on one word ("the form (login required)")."""
_MOST = expression(r"\s*(?:most|many|some)\b", re.IGNORECASE)
"""After "expect": what is thought to be so ("we expect most items to last a year")."""
_WILL = expression(r"\bwill\s*(?:be\s*)?$", re.IGNORECASE)
"""Before "able to": what is expected ("somebody will be able to help")."""
_AS_THEY_LIKE = expression(
    r"\b(?:at|in) (?:[\w'\u2019-]+ ){1,3}(?:sole )?discretion\b", re.IGNORECASE
)
"""After a duty that is left to whoever has it ("responsible for a notice at their discretion")."""
_NOT_ALL = expression(r"\W*not (?:all|every|everybody|everyone)\b", re.IGNORECASE)
_HOPED = expression(
    r"\b(?:aim|goal|hope|intention|wish|belief|foregone conclusion)\b[^,;]{0,20}\bthat\b",
    re.IGNORECASE,
)
_AIM = expression(r"\b(?:vision|mission|goal|aim|objective|intention|purpose)s?\b", re.IGNORECASE)
"""What "is to be" so says what is hoped for."""
_OF_PEOPLE = expression(r"\bwho\s[^,;]{0,100}$", re.IGNORECASE)
"""Before "authorised" where it only says of whom ("who need it and are authorised to see it")."""
_EQUALS = expression(r"=\s*(?:not )?$")
"""Before what an abbreviation stands for."""
_EPISTEMIC = expression(
    r"\b(?:information|circumstances?|conflicts?|it|this|breach\w*|violation\w*|they|there|policy)"
    r"\s+(?:may|can|could)\b"
    r"|\b(?:may|can)(?: also)? (?:be (?:required|needed|necessary|asked|subject|held|terminated"
    r"|disciplined|prosecuted|liable|difficult|hard|helpful|useful|able|aware)|be|lead|constitute"
    r"|cause|appear|result|also be|include|have|arise|exist|give rise|want|wish|need|feel|find"
    r"|face|carry|incur|experience|become|vary|differ|change|depend|affect|occur|happen)\b",
    re.IGNORECASE,
)
_GRANTED = expression(
    r"\b(?:permitted|allowed|entitled|authori[sz]ed)\b"
    r"|\bmay(?: only| also)? be (?:\w+ly )?used"
    r"|\b(?:may|can)(?: only| also)? be (?:\w+ly )?(?:accepted|offered|given|made"
    r"|reimbursed|approved"
    r"|granted|claimed|booked|taken|paid|kept|shared|disclosed|carried|engaged|requested|sent"
    r"|stored"
    r"|processed|transferred|waived|extended|provided|retained|destroyed|deleted|installed"
    r"|charged)\b",
    re.IGNORECASE,
)
_POINTS_TO = expression(
    r"\b(?:can|may)(?: also)? (?:refer to|see|find|read|view|visit|learn|look|reach)\b",
    re.IGNORECASE,
)
"""Where more is to be read."""
_MAY_BE_DUE = expression(r"\bmay(?: also)? be (?:entitled|eligible)\b", re.IGNORECASE)
_NEGATES = expression(
    r"\b(?:not?|never|neither|nor|none|nobody|cannot)\b|n['\u2019]t\b", re.IGNORECASE
)
"""A permission with one of these in its clause is not taken as a fact: misread, it is a
prohibition, and the policy would seem to allow what it forbids."""
_OR_DOES = expression(r"\s*(?:,\s*)?(?:or|and|nor)\s", re.IGNORECASE)
"""After "does not require" where a second verb shares its object ("require or support")."""
_IT_SHOULD = expression(r"(?:\A|[.:;]\s)\W{0,3}(?:this|it|that|which)\s?$", re.IGNORECASE)
_OFTEN = expression(r"\b(?:often|sometimes|frequently)\s*$", re.IGNORECASE)
"""Before "requires": how things are ("a quick medium often requires an answer at once")."""
_YOU = expression(r"\byou\s*$", re.IGNORECASE)
_OF_IT = expression(r"\s*(?:of|about)\b", re.IGNORECASE)
"""After "advised": told, and not advised to do something."""
_GETS = expression(r"\s*(?:also |then )?(?:receive|get an?|hear back)\b", re.IGNORECASE)
"""After "you should": what comes ("you should receive a card")."""
_HAPPENS = expression(
    r"\s*(?:only )?(?:instruct|take|show|help|give|bring|open|look|appear|get|prompt|work|last"
    r"|sound"
    r"|make|lead|come|feel|cover|resolve|fix|trigger|display|redirect|solve)\b",
    re.IGNORECASE,
)
"""After "this should": what is expected to happen ("this should open a window")."""
_SAID_OF = expression(
    r"\b(?:confirm|show|stat|say|prov|indicat)ing\s+(?:that\s+)?\w+\s*$", re.IGNORECASE
)
"""Before what a paper says ("documents confirming you are authorised")."""
_DEFINED = expression(
    r"\b(?:is|are) (?:defined as|understood as|the (?:process|practice) of)\b", re.IGNORECASE
)
"""Before "can" within what a word means."""
_INVERTED = expression(r"\s*(?:they|it|you|we|he|she|this|that|the|an?|any)\s", re.IGNORECASE)
"""After "should" in place of "if" ("the harm should they occur")."""
_HAS_A_VERB = expression(r"\b(?:will|is|are|was|were|has|have|do|does|may|can)\b", re.IGNORECASE)
"""Before "required" alone: it only says which ("we pay for a car required for the work")."""
_WOULD = expression(r"(?:['\u2019]d|\bwould)\s*$", re.IGNORECASE)
"""Before "need to" where it is so only in a case ("you'd need to pick another")."""
_IT = expression(r"\W*(?:such|this|these|those|it)\b", re.IGNORECASE)
_BY = expression(r"\s*by\b", re.IGNORECASE)
"""Where something is said to rest on a law ("such steps are required by the Act")."""
_BARE = frozenset({"required to", "obliged to", "obligated to"})
"""Without a verb these only say which ("the settings required to connect")."""
_NO_FORCE = frozenset({"having to", "had to"})
_TO_OFFER = expression(r"\s*(?:offer|say|do with)\b", re.IGNORECASE)
"""After "has to" where nothing is demanded ("the voices our community has to offer")."""
LIKELY = word_pattern(
    r"\bexpected to (?:happen|occur|take|last|arrive)\b"
    r"|\b(?:set|fixed|updated|published|announced) by (?:the )?(?:government|law|parliament)\b",
    words="expected government law parliament",
)
"""In a sentence whose times are those of the world ("expected to happen within 5 years")."""
COMES = expression(
    r"\b(?:automated|automatic(?:ally)?) (?:[\w-]+ )?(?:e-?mails?|reminders?|messages?|notices?"
    r"|sent)\b"
    r"|\byou (?:will|should) (?:also )?(?:receive|get|see|find|hear)\b",
    re.IGNORECASE,
)
"""In a sentence without a duty, whose times are those of what comes ("you will receive it 4 weeks
after you enrol")."""
IN_EXAMPLE = expression(r"\((?:i\.?e|e\.?g|for example)\b[^()]*$", re.IGNORECASE)
_ITS_PURPOSE = expression(
    r"\W*the (?:purpose|aim|goal|objective|intent)s? of (?:this|the|these|our)\b", re.IGNORECASE
)
"""How a sentence begins that says what a text is for, and what others tell."""
_REMARKS = expression(r"\((?:which|who|that)\b[^()]{0,200}\Z", re.IGNORECASE)
"""Before a verb in a remark on something ("a form (which may in time be required)")."""
_DUTIES = frozenset({Modality.MUST, Modality.SHOULD})


def binds(
    modality: Modality, *, ahead: str, subject: str, trigger: str, after: str, has_actor: bool
) -> bool:
    """Return whether a modal expression makes a rule.

    Args:
        modality: What it makes of the act, as its words say.
        ahead: All that the statement says before it.
        subject: The same from the beginning of its clause.
        trigger: The modal expression.
        after: What its clause says behind it.
        has_actor: Whether the clause says whom it binds.
    """
    if (
        _TOLD.search(subject)
        or _WHICH.search(subject)
        or _SAID_OF.search(subject)
        or _PERHAPS.search(ahead)
        or _is_quoted(ahead)
        or IN_EXAMPLE.search(ahead)
        or _ITS_PURPOSE.match(ahead)
        or _REMARKS.search(ahead)
    ):
        return False
    said = trigger.casefold()
    if modality in _DUTIES:
        return not _is_no_duty(trigger, ahead=ahead, subject=subject, after=after)
    if modality is Modality.MAY:
        whole = f"{subject}{trigger}{after}"
        return not (
            _NEGATES.search(whole)
            or (not said.startswith(("may", "can")) and _OF_PEOPLE.search(subject))
            or _PURPOSE.search(subject)
            or SAID_WITHIN.search(subject)
            or _DEFINED.search(ahead)
            or (_WILL.search(subject) and "able" in said)
            or is_mere_chance(whole, has_actor=has_actor)
        )
    if modality in {Modality.MUST_NOT, Modality.SHOULD_NOT}:
        return not forbids_nothing(trigger, ahead=ahead, subject=subject, after=after)
    return not (_OR_DOES.match(after) or _EQUALS.search(ahead))


def is_mere_chance(said: str, *, has_actor: bool) -> bool:
    """Return whether "may" or "can" in a clause is about what can happen, not what is allowed."""
    if _POINTS_TO.search(said):
        return True
    if _GRANTED.search(said):
        return _MAY_BE_DUE.search(said) is not None
    return not has_actor or _EPISTEMIC.search(said) is not None


def _is_no_duty(trigger: str, *, ahead: str, subject: str, after: str) -> bool:
    """Return whether words of a duty are none."""
    said = trigger.casefold()
    if (
        (ahead.endswith("(") and said.startswith("require"))
        or DEEMS.match(after)
        or _AS_THEY_LIKE.search(after)
        or _HOPED.search(ahead)
        or (said.startswith("require") and RESERVED.search(ahead))
        or _NOT_ALL.match(subject)
        or (said.startswith(("need", "require")) and _OFTEN.search(subject))
    ):
        return True
    if (
        said in _NO_FORCE
        or (said.endswith("advised") and _OF_IT.match(after))
        or (trigger == "Should" and ahead.strip())
    ):
        return True
    if _WOULD.search(subject) or (
        said.endswith("required") and _IT.match(subject) and _BY.match(after)
    ):
        return True
    if said.startswith("need"):
        alone = said in {"need", "need to"} and (
            _ONLY.search(ahead) or _WHICH_THING.search(subject)
        )
        return bool(alone or _NEEDS_OF.search(subject))
    if said in _BARE:
        return bool(subject.strip())
    checks = {
        "expect": _MOST.match(after),
        "is to be": _AIM.search(subject),
        "has to": _TO_OFFER.match(after),
        "have to": _TO_OFFER.match(after),
        "required": _WHATEVER_IS.search(subject)
        or _HAS_A_VERB.search(subject)
        or _REMARKED.search(ahead),
        "should": _AS_HOPED.match(after)
        or (_YOU.search(subject) and _GETS.match(after))
        or _INVERTED.match(after)
        or (_IT_SHOULD.search(subject) and _HAPPENS.match(after)),
        "recommend": not _WE_ADVISE.search(subject),
    }
    return bool(checks.get(said))


def _is_quoted(ahead: str) -> bool:
    """Return whether a quotation has begun and not ended, as the words of a form do."""
    return ahead.count('"') % 2 == 1 or ahead.count("\u201c") > ahead.count("\u201d")
