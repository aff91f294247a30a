"""What a message does, by its words: it asks, it is an aside, or it speaks to somebody else. Pure.

People go on talking in a thread in which they asked us something. Intake hears what they write
there without naming us, and must tell a follow-up from what is meant for a colleague before
anything is stored, so no model can be asked. Elsewhere the same rules decide whether a case may be
opened by itself: a mere statement never opens one.

The rules know English and the commonest German, and prefer silence to an answer that nobody asked
for. On the messages that they were made with they make no mistake; of 95 others, written before
they had been tried on them, they answered 5 of 55 that nobody meant for us and missed 3 of 40
follow-ups (`tests/evals/bench_threads.py`; since then they know those, too).

Patterns are anchored, or search a bounded stretch: the time is linear in the message.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from core.domain.question import Question
from core.expressions import expression

READ = 300
"""Characters of a sentence that are read from its beginning, and as many from its end."""
SENTENCES = 40
"""Sentences of a message that are read."""
_LEAST_SAID = 3
"""Words after a name and a comma, from which on somebody is spoken to ("Contractors, too?")."""


def _begins(*patterns: str) -> re.Pattern[str]:
    return expression(rf"(?:{'|'.join(patterns)})(?![\w'])")


_SENTENCE = expression(r"[^.!?;\n]+[.!?;\n]*")
_SPACES = expression(r"\s+")
_WORD = expression(r"[^\W_]+(?:['-][^\W_]+)*")
_EMOJI = expression(r":[a-z0-9_+-]{1,40}:")
_LEAD = _begins(
    r"ok(?:ay)?|k|kk|so|and|but|or|also|plus|then|now|hm+|h?mh?m|uh|um|er+m?|oh|ah+|aha|wait|well"
    r"|right|sure|great|cool|perfect|nice|super|good|fine|alright|awesome|yes|yeah|yep|no|nope"
    r"|thanks|thank you|thx|ty|cheers|danke|merci|hi|hello|hey|sorry|please|pls|plz|bitte|und|aber"
    r"|oder|also|got it|i see|makes sense|understood|actually|just|quick(?: question| one|ly)?"
    r"|one (?:more|last) (?:thing|question)|another question|question|follow[- ]?up|btw|fyi"
    r"|tho(?:ugh)?"
    r"|last question|in that case|not sure i (?:get|understand)(?: it| this| that)?|lol|haha"
)
"""What stands before that with which a message really begins."""
_MEDIAL = " ,:-\u2013\u2014("

_WHAT_FOR = (
    r"what(?:'?s|'?re|'?d)?|who(?:'?s|m|se)?|which|why|how(?:'?s|'?d)?|wer|wann|wo|wie|warum"
    r"|wieso|welche[rsmn]?|wem|wen"
)
_EXCLAIMS = _begins(
    r"what an?\b(?! .*\b(?:is|are|can|must|counts?)\b)|what (?:i|he|she|we|they|you)\b"
    r"|what the (?:hell|heck|fuck)"
    r"|how (?:nice|cool|funny|lovely|sweet|weird|odd|strange|annoying|kind|great|sad|awful"
    r"|are you|r u)"
    r"|how (?:was|is|are) (?:your|the (?:weekend|holiday|trip|party|baby))|how's (?:it going|life)"
    r"|who cares|who knew|why not|which is (?:why|what|fine|good|great|nice|annoying|weird)"
    r"|was f\u00fcr|wie (?:sch\u00f6n|nett|geht)|what's up|whatever|which (?:makes|would|means"
    r"|i)|why am i"
)
"""Words of questions that ask nothing of us."""
_ASKED = _begins(_WHAT_FOR)
_WHEN = _begins(
    r"(?:when|where)(?:'?s)?(?: exactly)? (?:is|are|was|were|do|does|did|can|may|must|should"
    r"|shall|will"
    r"|would|has|have|exactly|to)"
)
_INVERTED = _begins(
    r"(?:can|may|must|shall|should|could|would|will|am|might) (?:i|we|it|they|he|she|this|that"
    r"|these"
    r"|those|there|an?|the|my|our|your|their|people|employees?|contractors?|managers?|interns?)",
    r"do (?:i|we|they|you|the|these|those|our|my|people|employees|contractors|managers|interns)",
    r"does (?!not\b|n't\b)[\w'-]+ [\w'-]+",
    r"did (?:i|we|it|they|this|that|the|those)",
    r"is (?:it|this|that|there|he|she|an?|the|my|our|any|every|one) [\w'-]+|is (?:it|that|this)$",
    r"are (?:we|they|these|those|there|the|my|our|any|all|you) [\w'-]+",
    r"are [\w'-]{3,}s (?!who\b)[\w'-]{2,}",
    r"(?:do|are|is) (?!it|that|this|not|what|tell|let|so|as"
    r"|you)[\w'-]+ (?:[\w'-]+ )?(?:allowed|also|always|apply"
    r"|considered|count|covered|enough|exempt|exist|fall|fine|forbidden|have|include|included"
    r"|mean|need|ok"
    r"|okay|permitted|qualify|require|required|still|treated)",
    r"(?:has|have|had) (?:i|we|it|they|this|that|the) [\w'-]+",
    r"(?:kann|darf|muss|soll|gilt|gibt|ist|sind|d\u00fcrfen|m\u00fcssen|k\u00f6nnen) (?:ich"
    r"|wir|man|es|das|die"
    r"|der|dies|auch|sie)",
)
_GOES_ON = _begins(
    r"(?:what|how) (?:about|if)|wh?at abt|same (?:for|with|goes)|even (?:if|when|for|though)"
    r"|any (?:exceptions?"
    r"|limits?|forms?|rules?|deadlines?|difference)|(?:also|only|not|just) (?:for|in|if|when)"
    r"|(?:until|till|since|by|from|for|in|to) (?:when|how|what|which|whom|who)|except for"
    r"|per (?:person|year|month|gift|vendor|item)"
)
_ASKED_LAST = expression(
    r"\b(?:(?:so )?what (?:now|next|then|to do|(?:do|should|can|must|shall) (?:i|we) do)"
    r"|(?:who|whom) (?:do|should|must|can) (?:i|we) (?:tell|call|ask|contact|inform|notify)"
    r"|what happens (?:now|next)|(?:is|was) (?:this|that|it) (?:ok(?:ay)?|allowed|permitted|legal)"
    r"|(?:any|some) (?:advice|guidance)|please (?:advise|help))$"
)
"""How somebody asks who first tells what happened ("i lost my laptop what now")."""
_LAST = 60
"""Characters of a sentence's end in which it stands."""
_JOINED = _begins(
    r"(?:for|in|if|when|with|without|as|at|outside|abroad|under|over|above|below|after|before"
    r"|during"
    r"|f\u00fcr|bei|wenn|ohne|mit)"
)
"""After "and", "or", "but", "also": a follow-up that lacks its verb."""
_JOINS = expression(
    r"^(?:ok(?:ay)?|hm+|thanks|great|cool|right|well|,| )*(?:and|or|but|also|und|oder)\b"
)
_STATES = expression(
    r"\b(?:i'll|i will|we'll|we will|let's|i'm going|i am going|i'd (?:just|rather))\b"
)
_WISHES = _begins(
    r"tell me(?! about it)|explain|describe|clarify|define|list(?: all| the)|summari[sz]e"
    r"|compare|show me"
    r"|give me|quote|i (?:was |am |'m )?wonder(?:ing)?|i'm wondering|wondering|curious"
    r"|(?:i|we)(?:'d| would) (?:like|love) to (?:know|understand)|(?:(?:i|we) )?(?:want"
    r"|need) to (?:know|understand)"
    r"|(?:i|we) (?:don't|do not|dont) (?:understand|get) (?:what|how|why|which|when|who|if"
    r"|whether|the|this|that)"
    r"|(?:i|we)?(?:'m| am|'re| are)? ?(?:not sure|unsure|unclear) (?:if|whether|what|how|which"
    r"|when|who|about)"
    r"|no idea (?:if|whether|how|which|who|when)|(?:more|further) (?:details?|info|information)"
    r"|help me (?:understand|with)|where (?:it|does it) says?|remind me"
)

_GREETS = (
    r"(?:(?:hey|hi|hello|yo|ok(?:ay)?|thanks|thank you|thx|ty|danke|sorry|morning|cheers|cc|fyi"
    r"|ping)[ ,]+)?"
)
_REQUESTS = (
    r"(?:can|could|would|will|did|do|have|are|were|pls|please|wdyt|what do|any|should|is|has|when"
    r"|where)"
)
_NO_NAMES = frozenset(
    _WORD.findall(
        "ok okay so and but or also plus then now hm hmm hmmm uh um oh ah aha wait well right"
        " sure great cool perfect nice super good fine alright awesome yes yeah yep no nope thanks"
        " thx ty cheers danke hi hello hey sorry please pls actually just quick question first"
        " second third otherwise anyway again basically generally meaning if when what who how why"
        " where which is are was were do does did can could may must shall should would will has"
        " have am the a an i we you they he she it this that there these those my our your their"
        " any for in as to from with not under over until since per und aber oder wer was wann wo"
        " wie warum btw lol haha understood interesting wow damn ugh yikes exactly agreed correct"
        " true indeed additionally furthermore besides finally lastly next today tomorrow germany"
        " austria france spain italy poland india china japan brazil mexico canada switzerland"
        " follow-up followup edit update edited ps nb except especially even only both either"
        " neither maybe perhaps"
    )
)
"""First words that are nobody's name."""
_NAMED_FIRST = expression(
    rf"^{_GREETS}(?P<name>[^\W\d_]{{2,20}})(?P<mark>\s?[,:]| [-\u2013\u2014])\s*(?P<rest>\S.*)$"
)
_NAMED_AND_ASKED = expression(rf"^{_GREETS}(?P<name>[^\W\d_]{{2,20}}) {_REQUESTS} (?:you|u|we|i)\b")
_GREETED = expression(
    r"^(?:hey|hi|hello|yo|thanks|thank you|thx|danke|sorry|cc|morning) (?P<name>[^\W\d_]{2,20})\b"
)
_NOT_GREETED = frozenset(
    _WORD.findall("for that this so a again there and but is what can how who in also the i you to")
)
_NAMED_LAST = expression(r", ?(?P<name>[A-Z][^\W\d_]{1,19})\s*[?.!]*$")
_NO_LAST_NAMES = frozenset(
    _WORD.findall("ok okay right please pls thanks correct yes no too also then")
)
_AT = expression(r"(?:^|[\s(,:/])@[\w.-]{2,}")
_CROWD = _begins(
    r"(?:guys|folks|y'all|leute)|(?:team|all|everyone|everybody|people)(?=[,:!])"
    r"|(?:hey|hi|hello|thanks|thank you|morning) (?:guys|folks|team|all|everyone|everybody|people)",
    r"(?:(?:can|could|would|will|does|do|did|has|have|is|are|was) )?(?:anyone|anybody"
    r"|any of (?:you|us)|one of (?:you|us))",
    r"(?:can|could|would|will|has|is|does) (?:someone|somebody)|who wants|who(?:'s| is| else"
    r"| has time| can take| can help)"
    r"(?: in| coming| up| joining| free| around| out| here)?(?= (?:in|for|coming|joining|free"
    r"|around|up|here|this|me|got|wants)\b|$)",
    r"kann (?:jemand|wer|einer)|hat (?:jemand|wer)|wei\u00df (?:jemand|wer)",
)
_CROWD_LAST = expression(
    r"(?:,? (?:guys|folks|y'all|leute)|, ?(?:mate|bro|man|dude|buddy|everyone|everybody|team"
    r"|all))[?.! ]*$"
)
_CROWD_ADDRESSED = expression(r"\b(?:you|u) (?:guys|all|two|folks|lot|people)\b")
_YOU = expression(
    r"^(?:can|could|will|would|did|do|have|are|were|should|shall|may|might|hast|kannst"
    r"|k\u00f6nntest|habt|willst"
    r"|bist|seid|machst|when (?:can|will|are|do|did)|where (?:are|were|did)|how (?:are|were"
    r"|did|was)"
    r"|what (?:are|did|were|do|would|have|will)|why (?:are|did|don't|do|were|would)|who (?:did"
    r"|do|are)|which (?:do|did|would) )"
    r" ?(?:you|u|du|ihr)\b ?(?P<rest>.*)$"
)
"""Somebody is asked to do something, or how they are: who, the verb says."""
_TO_US = _begins(
    r"(?:please |pls |also |maybe |just |still |perhaps |even |always |really |actually |quickly )?"
    r"(?:tell|explain|show|quote|cite|clarify|elaborate|summari[sz]e|list|define|mean"
    r"|give (?:me|us|an?|some)"
    r"|link|point|find|look (?:it |that |this )?up|say|have (?:a|the|any) (?:source|link"
    r"|section|example|reference|form|rule|policy)"
    r"|sure|be (?:more )?(?:specific|precise|clearer?|concrete)|know (?:what|who|how|when"
    r"|where|which|if|whether|why)|send me (?:the|a) (?:link|policy|section|source|form)"
    r"|need (?:to|a|an|approval|permission|consent|clearance|sign)|have to|get (?:approval"
    r"|permission)|need$"
    r"|(?:accept|keep|receive|offer|claim|expense|register|report|disclose|calculate|count"
    r"|define|request|apply|declare|store|share|use)"
    r" (?:it|them|this|that|a|an|the|for|gifts?|more|one|such|my|data|what|how|as|if|in|\w+s)"
    r"|supposed|allowed|required|obliged|certain|read|based?|distinguish|repeat|rephrase|translate)"
)
_OUR_MEETING = _begins(
    r"(?:shall|should|can|could|let's|lets|do|will|would) ?(?:we|us)? ?(?:just |maybe |please "
    r"|all |still )?"
    r"(?:meet|grab|get (?:lunch|coffee|a (?:coffee|beer|drink))|talk|discuss|chat|sync"
    r"|move (?:this|it|the)|postpone"
    r"|reschedule|hop|jump|take (?:this|it) (?:offline|up|to)|do (?:this|it) (?:later|tomorrow"
    r"|offline|on)|call|go for|have (?:lunch|coffee)|wait|order)",
    r"(?:did|has|have|is|was|are|were) (?:he|she|they|[a-z]+ already|someone)(?= (?:reply"
    r"|replied|answer|answered|respond|responded"
    r"|see|saw|seen|say|said|call|called|back|in|here|there|around|ok|okay|out|free|left"
    r"|coming|online|sick|on)\b)",
    r"(?:is|are|was|has|have) (?!it|this|that|there)[\w'-]+ (?:in|here|around|back|free|online"
    r"|out|off|sick|available|away)"
    r"(?= today| tomorrow| this| next| now| yet| at| on|$)",
    r"what time|who's (?:turn|in|on call|driving|paying)|where (?:are|is|'s|s) (?:he|she"
    r"|everyone|the (?:meeting|room|party))"
    r"|where's (?:he|she|everyone|the (?:meeting|room|party))|when(?:'s"
    r"| is) (?:the )?(?:meeting|standup|call|lunch|retro|party|demo)"
    r"|see (?:you|u|ya)|free (?:at|for|tomorrow|today|now)|any (?:plans|news|luck|update"
    r"|updates|thoughts|volunteers|takers|ideas?)"
    r"|(?:your )?thoughts|what do (?:you|u) think|up for|lunch|coffee|beer|pub",
)
_ELSEWHERE = expression(
    r"\b(?:standup|stand-up|retro|sprint|jira|deploy(?:ed|ment)?|pull request|pr|build|zoom"
    r"|printer|wifi|slides|deck|demo|backlog)\b"
)
_YOURS = expression(
    r"\bwdyt\b|\b(?:your|ur|deine?) (?:take|opinion|view|thoughts?|weekend|day|holiday|desk"
    r"|laptop|manager|boss|team|kids?|wife|husband)\b"
)
_DISBELIEF = _begins(
    r"(?:oh |wow |ha )?(?:really|seriously|srsly|huh|what|wtf|sure|ok|okay|no|yes|right|eh|hm+"
    r"|lol|haha"
    r"|oh|you ok|for real|nice|cool|isn't it|ist das so|echt|done|ready|deal|agreed|all good"
    r"|everything ok)$"
)
"""Sentences with a question mark that ask nothing."""

_ASIDE = _begins(
    r"(?:one |just )?(?:a )?(?:sec|second|moment|minute|min|mo)|was (?:in|at|on|out|away)|brb"
    r"|hold on|hang on|wait(?: a| for)?|let me"
    r"|i(?:'ll| will|'d| need to| have to| gotta| must|'ve| already|'m (?:off|in a|at|on it|done))"
    r"|will (?:do|check|ask|let|tell|come|get|send)|need to (?:check|ask|look)|gotta|checking"
    r"|later|tomorrow"
    r"|never ?mind|nvm|forget it|thanks|thank you|thx|ty|cheers|danke|merci|vielen dank"
    r"|ok(?:ay)?$|k$|kk$|lol|haha+|nice|cool"
    r"|great|perfect|super|got it|makes sense|i see|good (?:to know|one|point)|sorry|done$"
    r"|noted|understood|wow|see (?:you|u|ya)"
    r"|good question|no idea|not (?:now|yet|sure yet)|let's|lets|moment|gleich|warte"
    r"|sch\u00f6n|alles klar|passt|hello|hi|hey|good morning"
)

_TELLS = expression(
    r"\b(?:i|we|he|she|they|it|you|this|that|will|is|are|was|were|has|have|had|did|let|done)\b",
    re.IGNORECASE,
)
"""A word that makes a sentence of a subject."""


_WANTS = expression(
    r"(?:\A\W*+|[,;:.\u2013-]\s++)(?:is|are|am|was|were|do|does|did|can|could|may|might|must|shall|should|will|would"
    r"|write|make|create|book|translate|draft|send|find|calculate|play|order|generate|draw)"
    r"\s++[\w'-]++\s++[\w'-]",
    re.IGNORECASE,
)
"""How a question without its mark, or a wish, begins: "is laundry reimbursed on a trip", "they left
some papers, can i make a copy"."""


@dataclass(frozen=True, slots=True)
class _Sentence:
    """One sentence, as far as it is read."""

    said: str
    """In lower case, single spaces, typewriter apostrophes, without its end."""
    typed: str
    """The same as it was typed."""
    is_asked: bool
    """It ends in a question mark."""

    @property
    def core(self) -> str:
        """What is left without the words with which people begin."""
        left = self.said
        while (found := _LEAD.match(left)) is not None:
            left = left[found.end() :].lstrip(_MEDIAL)
        return left


def asks(text: str) -> bool:
    """Say whether a message asks: a question, a wish to know, or a follow-up without its verb."""
    return any(_asks(one) for one in _sentences(text))


def speaks_to_others(text: str) -> bool:
    """Say whether a message of a thread is meant for somebody else who reads it."""
    return _AT.search(text) is not None or any(_to_others(one) for one in _sentences(text))


def is_aside(text: str) -> bool:
    """Say whether a message answers nothing that it was asked: thanks, a delay, an emoji."""
    first = next(_sentences(text), None)
    if first is None or _ASIDE.match(first.said):
        return True
    return not first.core or _ASIDE.match(first.core) is not None


def is_asked(question: Question) -> bool:
    """Say whether a message asks, by itself or as the answer to a question that we asked back."""
    text = question.text
    replies = any(one.source != "thread" for one in question.assumptions)
    return asks(text) or (replies and not is_aside(text))


def is_statement(question: Question) -> bool:
    """Say whether a message only tells something; a subject without a sentence asks for it."""
    text = question.text
    tells = _TELLS.search(text) is not None and not wants(text)
    return not is_asked(question) and (is_aside(text) or tells)


def wants(text: str) -> bool:
    """Say whether a message asks or wishes for something, also where a mark or a word is missing.

    Weaker than `asks`: for messages that are surely meant for us.
    """
    return asks(text) or _WANTS.search(text) is not None


def _sentences(text: str) -> Iterator[_Sentence]:
    for found in islice(_SENTENCE.finditer(text.replace("\u2019", "'")), SENTENCES):
        whole = found[0].strip()
        parts = (whole,) if len(whole) <= 2 * READ else (whole[:READ], whole[-READ:])
        shown = _SPACES.sub(" ", " ".join(parts))
        typed = _EMOJI.sub(" ", shown).strip(" .!?;\n\"'*_~")
        if _WORD.search(typed):
            yield _Sentence(typed.lower(), typed, "?" in whole[-READ:])


def _asks(one: _Sentence) -> bool:
    core = one.core
    if _DISBELIEF.match(one.said) or (not core and not one.is_asked):
        return False
    if one.is_asked or _ASKED_LAST.search(one.said[-_LAST:]):
        return True
    if _EXCLAIMS.match(core):
        return False
    if _JOINS.match(one.said) and _JOINED.match(core) and not _STATES.search(one.said):
        return True
    patterns = (_ASKED, _WHEN, _INVERTED, _GOES_ON, _WISHES)
    return any(pattern.match(core) for pattern in patterns) or _YOU.match(core) is not None


def _to_others(one: _Sentence) -> bool:
    core = one.core
    return (
        _names_somebody(one)
        or any(pattern.match(core) for pattern in (_CROWD, _OUR_MEETING))
        or _CROWD.match(one.said) is not None
        or any(p.search(one.said) for p in (_CROWD_LAST, _CROWD_ADDRESSED, _ELSEWHERE, _YOURS))
        or _asks_a_colleague(core)
        or (one.is_asked and _EXCLAIMS.match(core) is not None)
    )


def _asks_a_colleague(core: str) -> bool:
    found = _YOU.match(core)
    return found is not None and _TO_US.match(found["rest"]) is None


def _names_somebody(one: _Sentence) -> bool:
    first = _NAMED_FIRST.match(one.said)
    rest = _WORD.findall(first["rest"]) if first else ()
    if first and first["name"] not in _NO_NAMES and len(rest) >= _LEAST_SAID:
        return True
    asked = _NAMED_AND_ASKED.match(one.said)
    if asked and asked["name"] not in _NO_NAMES:
        return True
    greeted = _GREETED.match(one.said)
    if greeted and greeted["name"] not in _NO_NAMES | _NOT_GREETED:
        return True
    last = _NAMED_LAST.search(one.typed)
    return last is not None and last["name"].lower() not in _NO_LAST_NAMES | _NO_NAMES
