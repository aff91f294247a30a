"""Tell a report of misconduct from a question about the rules.

Reports are never answered in a channel. A message is read sentence by sentence; it is a report if a
sentence *states*, rather than asks, one of these:

- accused: somebody does something wrong ("My manager is fiddling his expenses.");
- suffered: the asker, or somebody, is harmed ("I am being bullied.", "called names by our boss");
- retaliation: the asker is worse off for having spoken ("I was demoted after I complained.");
- confessed: the asker did it;
- blamed: somebody is to be reported ("I want to report my manager for bullying.").

A question states what it takes for granted: "Is it okay that my manager takes bribes?".

Reports are confidential, and so is what their writer adds. None of it is sent to a language model
or an embedding service, neither at once nor as an earlier turn. The rules that recognise reports
miss some, so what asks nothing and speaks of somebody is kept from models too.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import chain

from core.agent.conversation.reports.recognise import is_foreign_report, tells_of_somebody
from core.domain.question import NOTHING_ASKED, Question, Turn
from core.expressions import expression
from core.language.content_words import words


def _either(*words: str) -> str:
    return f"(?:{'|'.join(words)})"


def _matching(*patterns: str) -> re.Pattern[str]:
    return expression("|".join(rf"\b(?:{pattern})" for pattern in patterns), re.IGNORECASE)


_JOBS = (
    r"boss(?:es)?|(?:manager|supervisor|leader|lead|colleague|co-?worker|teammate|director|head|ceo"
    r"|cfo|team|guy|woman|man|driver|buyer|accountant|employee|contractor|department|foreman"
    r"|officer|operator|agent|dispatcher|chief|person|friend|intern|clerk|planner|trainer)s?|women"
    r"|men|people"
)
_NO_NAME = _either(
    "The|This|That|These|Those|They|There|Here|Our|Your|His|Her|Its|My|All|Any|Each|Every|Some",
    "Most|Both|Such|Last|Next|When|While|Since|After|Before|Because|Although|Under|With|Without",
    "For|From|Staff|Employees?|Managers?|Contractors?|Section|Annex|Policy|Policies|Gifts?|Cash",
    "Bribery|Fraud|Harassment|Theft|Please|According|Yes|Now|Today|Yesterday|Recently|Also|But",
    "And|Not|Nobody|Everyone|Everybody|Someone|Somebody|Anyone|Is|Has|Was|Are|Were|Have|Had|If",
)
_SOMEBODY = _either(
    rf"\b(?:my|our|his|her|their|an?|the|(?:one|two|some) of (?:my|our|the)|some|another)\s+"
    rf"(?:[\w-]+\s+){{0,3}}?(?:{_JOBS})\b(?!')",
    r"\b(?:someone|somebody|they|he|she)\b",
    rf"(?:^|(?<=that )|(?<=think )|(?<=know )|(?<=saw )|(?<=, ))(?-i:(?!{_NO_NAME}\b)"
    r"[A-Z][a-z]{2,}\b)",
)
"""Who may be accused: by a job, as somebody, or by name where a clause begins."""

_VICTIM = (
    r"(?:me|us|him|her|them|women|men|girls|people|(?:my|our|the) (?:\w+ )?(?:interns?|staff))"
)
_THEFT = _either(
    r"steal(?:s|ing)?|stole|stolen|embezzl\w+|pocket(?:s|ed|ing)|skim(?:s|med|ming)",
    r"pay(?:s|ing)? (?:himself|herself|themselves)|(?:on|to) (?:his|her|their) (?:own )?account",
    r"(?:take|takes|took|taken|taking|accept|accepts|accepted|accepting) (?:[\w-]+ ){0,3}?"
    r"(?:cash|money|bribes?|kickbacks?|backhanders?)",
    r"(?:take|takes|took|taken|taking) (?:[\w-]+ ){0,4}?(?:home|without paying)",
    r"(?:get|gets|got|getting|receive[sd]?|receiving) (?:[\w-]+ ){0,2}?(?:bribes?|kickbacks?)",
    r"sell(?:s|ing) (?:[\w-]+ ){0,6}?(?:data|secrets|database|information|on the side)",
    r"cop(?:ies|ied|ying) (?:[\w-]+ ){0,2}?(?:lists?|data|database|secrets)",
    r"(?:approv|award|giv|plac)\w* (?:[\w-]+ ){1,4}?(?:his|her|their) [\w'-]+ (?:company|firm)",
    r"leak(?:s|ed|ing)",
)
_BRIBERY = _either(
    r"brib(?:ed|ing)|bribes (?:an?|the|our|some|[\w-]+s)\b|under the table|for money",
    r"(?:slip|slips|slipped|slipping|hands?|handed) (?:[\w-]+ ){1,5}?(?:envelope|money|cash)",
)
_FRAUD = _either(
    r"(?:fake|false|forged) (?:invoices?|receipts?|timesheets?)",
    r"fak(?:es|ed|ing)|falsif(?:y|ies|ied|ying)|forg(?:es|ed|ing)|backdat(?:es|ed|ing)",
    r"manipulat(?:es|ed|ing)|inflat(?:es|ed|ing)|fiddl(?:es|ed|ing)|cook(?:s|ed|ing) the books",
    r"cheat(?:s|ed|ing)|defraud\w*|commit(?:s|ted|ting) fraud|launder(?:s|ed|ing)|scam\w*",
    r"rig(?:s|ged|ging)|collud(?:es|ed|ing)|lie[sd]|lying|that never happened|insider tips?",
    r"hid(?:es|ing|den)|cover(?:s|ed|ing) up|destroy(?:s|ed|ing) evidence|behind (?:our|my) backs?",
    r"nobody (?:else )?(?:knows|approved|noticed|notices)|illegal(?:ly)?",
)
_HARM = _either(
    r"harass(?:es|ed|ing|ment)?|bull(?:y|ies|ied|ying)|grop(?:e|es|ed|ing)|stalk(?:s|ed|ing)",
    r"assault(?:s|ed|ing)?|rap(?:es|ed|ing)|abus(?:es|ed|ing|ive)|molest\w*|intimidat\w+",
    r"threat(?:en|ens|ened|ening)|insult(?:s|ed|ing)?|humiliat\w+|blackmail\w*|discriminat\w+",
    r"retaliat\w+|shout(?:s|ed|ing) at|yell(?:s|ed|ing) at|call(?:s|ed|ing) (?:\w+ )?names",
    r"racist|sexist|sexual(?:ly)?|homophobic|comments about my|my body|won't stop",
    r"hands? on (?:my|her|his)|(?:my|her) (?:knee|thigh|breasts?|bottom)|(?:fire|sack|demote) me\b",
    r"(?:dirty|nude|naked|obscene) (?:pictures?|photos?|jokes?|messages?)",
)
_BLOWS = (
    r"(?:touch(?:es|ed|ing)?|hit(?:s|ting)?|beat(?:s|ing)?|slap(?:s|ped|ping)?|kick(?:s|ed|ing)?"
    rf"|punch(?:es|ed|ing)?|punish(?:es|ed|ing)?) (?:{_VICTIM})\b"
)
_WRONG_ACT = (
    r"(?:hide|bribe|steal|shred|lie|backdate|falsify|fake|forge|cover|cheat|destroy"
    r"|delete (?:the )?(?:evidence|e-?mails?|files?)|sign (?:an? |the )?(?:false|fake|blank))"
)
_COERCION = _either(
    r"forc(?:es|ed|ing) (?:me|us|him|her|them)\b|made me (?:sign|feel|do)|pressur\w+ (?:me|us)\b",
    rf"(?:tells?|told|asks?|asked|orders?|ordered|wants?|wanted) (?:me|us) to {_WRONG_ACT}",
    r"told me (?:that )?i(?:'d| would|'ll| will) (?:lose|be (?:fired|sacked))",
)
_DANGER = r"drunk|on drugs|under the influence|unsafe"
_DEED = rf"\b{_either(_THEFT, _BRIBERY, _FRAUD, _HARM, _BLOWS, _COERCION, _DANGER)}\b"
_NO_DEED_AFTER = _either(
    "may|must|can|cannot|could|should|would|might|will|shall|if|whether|about|against|rules?|policy",
    "policies|training|course|asked for|offered",
)
"""Words after which a deed is only spoken of, or asked of somebody."""
_SPEAKING = (
    r"(?:reported|complained|spoke|spoken|raised|blew the whistle|told (?:him|her|them) off)"
)
_DISADVANTAGE = (
    r"(?:fired|sacked|dismissed|demoted|moved|transferred|punish\w+|payback|revenge|excluded"
    r"|ignor(?:es|ed|ing) me|(?:leaves?|left|leaving) me out|passed over|night shift|threaten\w*)"
)

_ACCUSED = _matching(
    rf"{_SOMEBODY}(?:,?\s+(?!{_NO_DEED_AFTER}\b)[\w'-]+){{0,12}}?,?\s+{_DEED}",
    rf"{_HARM}\s(?:[\w-]+\s){{0,5}}?(?:by|from)\s+{_SOMEBODY}",
)
_SUFFERED = _matching(
    r"i(?:'m| am|'ve| have| was| feel|'ve been| have been)(?: been| being| \w+ly)?\s"
    r"(?:harassed|bullied|threatened|discriminated|groped|assaulted|retaliated|blackmailed|stalked"
    r"|punished|intimidated|pressured|insulted|humiliated|raped|molested)\b",
    rf"(?:my|our) (?:[\w-]+ ){{0,2}}?(?:{_JOBS}) (?:did|does|has done|is doing|keeps doing)"
    r" (?:(?:exactly )?(?:this|that|it) )?to me\b",
)
_SPOKE = _matching(rf"(?:after|since|because) i(?:'ve| have|'d| had)? {_SPEAKING}\b")
_SUFFERS = _matching(rf"{_DISADVANTAGE}\b")
"""Together in one sentence, in whatever order, these two tell of a disadvantage for speaking."""
_CONFESSED = _matching(
    r"i(?:'ve| have)? (?:took|taken|stole|stolen|pocketed) (?:[\w.,-]+ ){0,3}?"
    r"(?:euros?|pounds?|money|cash)\b (?:from|out of)",
    r"i(?:'ve| have)? (?:falsified|faked|forged|backdated|embezzled)\b",
)
_BLAMED = _matching(
    rf"(?:suspect|accuse)\s+{_SOMEBODY}(?:\s+[\w-]+){{0,4}}?\s+of\b",
    rf"(?:want|like|need) to report\s+(?:my|our|an?)\s+(?:[\w-]+\s+){{0,2}}?(?:{_JOBS})\b(?!')",
)
_STATES = (_ACCUSED, _SUFFERED, _CONFESSED, _BLAMED)

_GREETING = expression(r"^(?:(?:hi|hello|hey|so|and|but|please|sorry|ok)\b[\s,!]*)+", re.IGNORECASE)
_ASKS = expression(
    r"^(?:how|where|to whom|whom?|whose|what|which|can|could|may|must|shall|should|would|will|do"
    r"|does|did|is|isn't|are|aren't|am|was|were|has|have|why|when (?:do|does|is|are|must|can|should"
    r"|may|will)|tell me|explain|describe|list|summari[sz]e|compare|define"
    r"|i (?:wonder|(?:would like|want|need|'d like) to know))\b",
    re.IGNORECASE,
)
_GRANTED = expression(
    r"\b(?:that|because|why(?: is| does| may| can)?|report|about)\s+(?=(?:my|our|he|she|they)\b)",
    re.IGNORECASE,
)
_SUPPOSES = expression(r"\b(?:if|whether|suppose|supposing|in case|imagine)\b", re.IGNORECASE)
_THEFT_BY_NOBODY_KNOWN = expression(
    r"\b(?:someone|somebody|they)(?: has| have| had|'s|'ve)? (?:stole|stolen)\b", re.IGNORECASE
)
_BY_MISTAKE = expression(r"\b(?:by (?:mistake|accident)|accidentally|mistakenly)\b", re.IGNORECASE)
_SENTENCE_END = expression(r"(?<=[.!?])\s+|;\s+")


@lru_cache(maxsize=64)
def is_report(text: str) -> bool:
    """Say whether a message reports misconduct, harassment, retaliation or a person.

    Rather than asking for a rule.

    A question in general terms ("How do I report harassment?", "May a manager accept cash?") is
    none; a statement about
    somebody ("My manager takes cash from hauliers. What should I do?") is one.

    Kept for the texts last read: several stages ask for the same message.
    """
    if is_foreign_report(text):
        return True
    folded = " ".join(text.replace("\u2019", "'").split())
    known = _THEFT_BY_NOBODY_KNOWN.sub("was lost", folded)
    return any(_is_stated(sentence) for sentence in _SENTENCE_END.split(known))


def _is_stated(sentence: str) -> bool:
    """Say whether a sentence, or what a question takes for granted, states what is wrong."""
    if _BY_MISTAKE.search(sentence):
        return False
    said = _GREETING.sub("", sentence)
    if _ASKS.match(said):
        granted = _GRANTED.search(said)
        if granted is None or _is_supposed(said[: granted.end()]):
            return False
        said = said[granted.end() :]
    found = (match.start() for pattern in _STATES for match in pattern.finditer(said))
    return any(not _is_supposed(said[:start]) for start in chain(found, _repaid(said)))


def _repaid(said: str) -> Iterator[int]:
    """Yield where a sentence begins to tell of a disadvantage for having spoken, if it does."""
    spoke, suffers = _SPOKE.search(said), _SUFFERS.search(said)
    if spoke and suffers:
        yield min(spoke.start(), suffers.start())


def _is_supposed(before: str) -> bool:
    """Say whether what follows is supposed: a word that says so stands after the last comma."""
    return _SUPPOSES.search(before, before.rfind(",") + 1) is not None


_ASKS_OR_GREETS = expression(
    r"^(?:(?:ok(?:ay)?|thanks|thank you|and|but|so|please|hi|hello|now)\b[\s,:!.-]*)*"
    r"(?:how|where|to whom|who|whom|whose|what|which|when|why|can|could|may|must|shall|should|would"
    r"|will|do|does|did|is|are|am|was|were|has|have|tell me|explain|describe|list|compare"
    r"|define)\b",
    re.IGNORECASE,
)
_THIRD_PERSON = expression(r"\b(?:he|she|him|her|his|hers|they|them|their|theirs)\b", re.IGNORECASE)
_COLLEAGUE = expression(
    r"\b(?:my|our|his|her|an?|the|some|another|one of (?:my|our|the))\s+(?:[\w-]+\s+){0,2}?"
    r"(?:boss|manager|supervisor|colleague|co-?worker|teammate|director|ceo|cfo|driver|buyer"
    r"|accountant|foreman|dispatcher|chief|intern|clerk|department)s?\b"
    r"|(?-i:\b(?:[Ii] saw|[Ii] think|[Ii] know)\s+[A-Z][a-z]+\b|\b(?:Mr|Mrs|Ms)\b)"
    r"|\b(?:fishy|shady|whistle)\b",
    re.IGNORECASE,
)
_WISHES = expression(
    r"^(?:(?:hi|hello|please)\b\W*)*(?:i (?:would like|wonder)|i'd like|help|write|give|show|find"
    r"|translate|draft|summari[sz]e|differences?|comparison)\b",
    re.IGNORECASE,
)
_CLAUSE_END = expression(r"(?<=[.!?])\s+|[;\n]\s*")
_POLITE = 2
"""Words of a sentence that tells nothing ("Thank you.")."""


def is_confidential(question: Question) -> bool:
    """Say whether a message tells of misconduct, or goes on to tell of it.

    After a report only a plain question about something else is none: whoever has just reported
    goes on with places, dates and names, and no word list knows those. What begins by telling of
    somebody, and asks for no rule, is taken for a report, too.
    """
    if states_misconduct(question):
        return True
    last = question.history[-1] if question.history else None
    begins = last is None or last.slot in NOTHING_ASKED or last.outcome == "refused"
    if begins and not question.context and tells_of_somebody(question.text):
        return True
    return last is not None and last.was_report and not _asks(question.text)


def may_report(text: str) -> bool:
    """Say whether a message, read alone, may report something: then no record holds its words."""
    return is_report(text) or speaks_of_somebody(text) or tells_of_somebody(text)


def states_misconduct(question: Question) -> bool:
    """Say whether a message itself reports something; else it may only tell of somebody."""
    return any(map(is_report, {question.text, question.own}))


def may_only_tell(question: Question) -> bool:
    """Say whether a message is confidential only because it tells of somebody and asks nothing.

    Of 397 situations that people described before their questions about 169 policies, 42 are so
    when they stand alone; about a third of these could be reported.
    """
    told = [turn.question for turn in question.history if turn.was_report]
    is_stated = states_misconduct(question) or any(map(is_report, told))
    return not is_stated and is_confidential(question)


def speaks_of_somebody(text: str) -> bool:
    """Say whether a message asks nothing, and tells of a person or of something that is wrong."""
    told = [one for one in _CLAUSE_END.split(text) if len(words(one)) > _POLITE]
    if (
        not told
        or "?" in text
        or any(_ASKS_OR_GREETS.match(one) or _WISHES.match(one) for one in told)
    ):
        return False
    return bool(_THIRD_PERSON.search(text) or _COLLEAGUE.search(text))


def was_confidential(turn: Turn) -> bool:
    """Say whether an earlier turn told of misconduct, or may have."""
    return turn.was_report or is_report(turn.question) or speaks_of_somebody(turn.question)


def _asks(text: str) -> bool:
    told = [one for one in _CLAUSE_END.split(text) if len(words(one)) > _POLITE]
    return all(_ASKS_OR_GREETS.match(one) for one in told) and not _THIRD_PERSON.search(text)
