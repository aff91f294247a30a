"""Tell a report of misconduct from a question about the rules.

Reports are never answered in a channel.
"""

import re

_PERSON = (
    r"(?:my|our|a|an|the|one of (?:my|our|the)|some|another)\s+(?:\w+\s+){0,3}?"
    r"(?:boss|manager|supervisor|leader|lead|colleague|coworker|co-worker|teammate|director|head|ceo|cfo|team|guy|woman|man"
    r"|driver|buyer|accountant|employee|contractor|department|foreman|officer|dispatcher|chief|people|person|friend)s?\b"
    r"|\bsomeone\b|\bsomebody\b|\bthey\b|\bhe\b|\bshe\b|\b(?-i:(?!(?:Is|Can|May|Do|Does|What|How|Who|When|Where|Which|Why|Are|Am"
    r"|Must|Should|Will|Could|Would|If|In|On|At|The|And|Or|For|To|Was|Were|Has|Have|Did|Annex|Section|Germany|Group|Policy"
    r"|English|French|German|British)\b)[A-Z][a-z]{2,})(?=\s+(?:from|in|at|of|keeps?|is|was|has|told|asked|wants|made|said|did|took|from))"
)
_WRONG = (
    r"steal(?:s|ing)?|stole|stolen|theft|brib(?:e|es|ed|ery|ing)|kickbacks?|pocket(?:s|ed|ing)|embezzl\w+|fraud\w*|fak(?:e|es|ed|ing)"
    r"|falsif\w+|forg(?:e|ed|es|ing|ery)|harass\w*|bull(?:y|ies|ied|ying)|grop\w+|touch(?:es|ed|ing)|threat\w*|discriminat\w+|racist|sexist"
    r"|retaliat\w+|cover(?:s|ed|ing)? up|hid(?:e|es|ing|den)|backdat\w+|manipulat\w+|cheat\w*"
    r"|launder(?:s|ed)|abus(?:e|es|ed|ing|ive)"
    r"|comments? about my|my body|insult\w*|intimidat\w*|payback|punish\w*|revenge|on the side"
    r"|tak(?:e|es|en|ing) (?:cash|money|bribes?|goods|stuff)"
    r"|took (?:cash|money|a bribe|bribes)|accept(?:s|ed|ing) (?:cash|money|bribes?)|lied|lying"
    r"|unsafe|drunk|drugs|leak(?:s|ed|ing)"
    r"|sell(?:s|ing) (?:\w+ ){0,3}(?:data|secrets|pallets|goods|information)|nobody knows"
    r"|won't stop|scared|afraid|illegal(?:ly)?|scam\w*"
    r"|destroy(?:ed|ing)? evidence|inflat(?:e|es|ed|ing)|skimming|collu\w+|rigg(?:ed|ing)"
    r"|insider tip|(?:his|her|their) "
    r"(?:wife|husband|brother|sister|cousin|friend|own)(?:'s)? (?:company|firm|business)"
    r"|made me (?:sign|feel|do)|forced me"
    r"|slipp(?:ed|ing) (?:him|her|them)|under the table|private account|own account"
)
_ACCUSES = re.compile(
    rf"(?:{_PERSON}).*?\b(?:{_WRONG})\b|\b(?:{_WRONG})\b.*?(?:{_PERSON})", re.IGNORECASE | re.DOTALL
)
_EXPERIENCE = re.compile(
    r"\b(?:i|we)(?:'ve| have| had| was| were| am|'m)?\s+(?:\w+\s+){0,3}?(?:witness\w*|saw|seen"
    r"|noticed|discovered|caught|overheard|suspect\w*"
    r"|believe|being|been|was|found out|reported|harassed|bullied|threatened|demoted|moved|sacked"
    r"|fired|transferred)\b"
    r"|\bi think\b|\bis (?:that|this) (?:payback|retaliation|harassment)\b|\bkeeps? (?:\w+ing)\b"
    r"|\btold me to\b|\basked me to\b"
    r"|\bpressur\w+ me\b|\bhas been\b|\bis (?:\w+ly )?\w+ing\b|\bare \w+ing\b"
    r"|\bafter i (?:reported|complained|spoke)\b",
    re.IGNORECASE,
)
_SUFFERED = re.compile(
    r"\bafter i (?:reported|complained|spoke|raised)\b|\bi(?:'m| am| feel| was| have been"
    r"|'ve been) (?:being )?(?:harassed|bullied|threatened"
    r"|discriminated|groped|assaulted|retaliated|blackmailed|stalked|punished|intimidated"
    r"|pressured)\b|\btold me to (?:hide|destroy|delete"
    r"|lie|shred|backdate|falsify|sign)\b|\bwon't stop\b|\bmaking comments about\b|\btouch(?:es"
    r"|ed|ing)? me\b",
    re.IGNORECASE,
)
_ASKS_RULE = re.compile(
    r"^(?:how|where|to whom|who|what|when|can|may|must|should|do|does|is|are|am|which)\b[^.!]*\?*$",
    re.IGNORECASE,
)


def is_report(text: str) -> bool:
    """Say whether a message reports misconduct, harassment, retaliation or a person.

    Rather than asking for a rule.

    A question in general terms ("How do I report harassment?", "May a manager accept cash?") is
    none; a statement about
    somebody ("My manager takes cash from hauliers. What should I do?") is one.
    """
    folded = " ".join(text.replace("\u2019", "'").split())
    if _SUFFERED.search(folded):
        return True
    if _ASKS_RULE.match(folded) and not re.search(
        r"\b(?:my|our) (?:\w+ )?(?:boss|manager|colleague|supervisor)\b", folded, re.IGNORECASE
    ):
        return False
    return bool(_ACCUSES.search(folded) and _EXPERIENCE.search(folded))
