"""Which fact about a policy a question asks for ("Who owns the travel policy?"). Pure.

A message is such a question only if every part of it has one of the forms below, from its first
word to its last, with the name of a policy in its place. All others are not, among them questions
about a policy's text ("Who approves travel?", "Who is the owner of the account?"). Of 7,972
questions about openly licensed workplace policies and 390 about the samples, 5 are recognised, all
of them rightly.

`bind_to_policies` binds any question to the policies, company or country that it names: those
policies are searched first, and the rest where nothing there answers.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from core.agent.conversation.small_talk import without_greeting
from core.agent.planning.intent import plain
from core.agent.policy_facts.policy_names import (
    PolicyMention,
    mentions,
    names_something,
    policies_meant,
    policies_named,
)
from core.domain.answer import Outcome
from core.domain.policy import PolicyVersion
from core.domain.policy_facts import FactKind
from core.domain.question import Question
from core.expressions import expression
from core.language.conditions import Condition, ConditionKind, shown
from core.language.jurisdictions import rules_of
from core.ports import CorpusReader

LONGEST = 400
"""Characters of a message that may ask for facts about policies: all of it must."""
POLICY_SLOT = "policy"
"""The missing fact where several policies have the name."""
_THIS = "\u00a7"
"""Stands for the policy that is named."""

_WHEN = r"(?: (?:now|today|currently|still|right now|at the moment|at present|here|exactly)){0,4}"
_FOLK = r"(?:i|we|you|one|employees|people|staff|somebody|someone|everyone)"
_TEXT = (
    r"(?:the )?(?:full |whole |complete |original )?(?:text|document|file|copy|pdf|source)"
    r" (?:of|for) "
)
_VALID = (
    r"(?:in force|in effect|effective|valid|current|applicable|active|in use|the (?:current|latest"
    r"|valid|newest) (?:one|version))"
)
_ALTERED = r"(?:changed?|updated?|revised?|amended|modified|edited|new|different)"
_CHANGES = r"(?:changes?|updates?|revisions?|amendments?|news)"
_RECENT = r"(?:last|latest|recent|newest|most recent|previous)"
_LATELY = r"(?: (?:last|recently|lately|this year|since then|since the last version))?"
_HAVE = r"(?:do you (?:have|know|use|cover|read|hold)|do we have|have you got|have you)"
_GIST = (
    r"(?:summary|overview|outline|gist|tl;? ?dr|(?:key|main|most important|essential|basic)"
    r" (?:points|rules|takeaways|contents|content)|highlights)"
)
_SHORT = (
    r"(?: (?:for me|in short|short|briefly|quickly|in brief|in a nutshell|in (?:a few|a couple of"
    r"|one|two|three|four|five|ten|\d{1,2}) (?:sentences?|points?|bullets?|bullet points|words"
    r"|lines?))){0,4}"
)
_FORMS: Mapping[FactKind, tuple[str, ...]] = {
    FactKind.OWNER: (
        r"who (?:owns|maintains|looks after|wrote|issued|publishes|issues) \u00a7",
        r"who (?:is|are) (?:the )?(?:one )?(?:responsible|accountable|in charge) (?:for|of) \u00a7",
        r"who (?:is|are) (?:the )?(?:policy |document )?owners? (?:of|for) \u00a7",
        r"who the (?:policy )?owner of \u00a7 is",
        r"who (?:is \u00a7 owned by|does \u00a7 belong to|is \u00a7 owner)",
        r"(?:what|which) (?:department|team|person|role|function|unit|office) (?:owns|maintains"
        r"|is (?:responsible|accountable|in charge) (?:for|of)) \u00a7",
        r"whose (?:policy )?is \u00a7",
        r"(?:what is |name )?(?:the )?owner (?:of|for) \u00a7",
        r"\u00a7 owner",
        r"who is the owner",
    ),
    FactKind.VERSION: (
        r"(?:what|which) version (?:of|for) \u00a7 (?:is|is this|is \u00a7|are|do we have"
        r"|do you have|applies|holds"
        rf"|counts|are you using|do you (?:use|know|read)){_WHEN}(?: {_VALID})?{_WHEN}",
        r"(?:what|which) (?:is the )?(?:current |latest |newest |present |valid )?version"
        r"(?: number)? (?:is )?(?:of )?\u00a7(?: (?:in|at|on))?" + _WHEN,
        r"(?:what|which) version (?:is|does) \u00a7(?: (?:have|in|at|on))?" + _WHEN,
        rf"(?:what|which) version (?:is|are){_WHEN} {_VALID}",
        r"(?:since|from) when(?: (?:is|has|does|was) \u00a7 (?:been )?"
        rf"(?:{_VALID}|apply|hold))?",
        r"(?:since|from) when has (?:that|it) been " + _VALID,
        r"(?:since|from) when \u00a7 (?:is|has been) " + _VALID,
        r"when (?:did|does|will) \u00a7 (?:come into|go into|enter into|take|become|start|begin)"
        r"(?: (?:force|effect|effective|to apply|applying))?",
        r"(?:is|until when is|how long is) \u00a7" + _WHEN + rf" {_VALID}{_WHEN}",
        r"(?:what is |the ){0,4}(?:current |latest )?version(?: number)? of \u00a7",
        r"\u00a7 version(?: number)?",
        r"(?:what is |the ){0,4}effective date (?:of|for) \u00a7",
    ),
    FactKind.CHANGE: (
        rf"when (?:was|were|has|did) \u00a7 (?:been )?(?:{_RECENT} |recently )?{_ALTERED}"
        r"(?: last)?",
        rf"when \u00a7 (?:was|has been) (?:last )?{_ALTERED}",
        rf"when (?:was|were) the {_RECENT} {_CHANGES}(?: (?:to|of|in) \u00a7)?",
        rf"when was (?:that|it) (?:last )?{_ALTERED}",
        rf"what (?:has |have |was |is |is the )?(?:{_RECENT} |recently )?{_ALTERED}"
        rf"(?: (?:in|to|with|about|of) \u00a7)?{_LATELY}",
        rf"what (?:is|are|was|were) (?:the )?(?:{_RECENT} )?{_CHANGES}"
        rf"(?: (?:in|to|of|for) \u00a7)?{_LATELY}",
        rf"(?:has|did|have|was|is) \u00a7 (?:been )?{_ALTERED}{_LATELY}",
        rf"(?:the )?(?:{_RECENT} )?{_CHANGES} (?:in|to|of) \u00a7",
        rf"(?:how|what) has \u00a7 changed{_LATELY}",
        rf"(?:is|are) there (?:any(?:thing)? )?(?:new )?(?:{_CHANGES}|new)? ?(?:in|to|of) \u00a7",
    ),
    FactKind.PLACE: (
        rf"where (?:can|do|could|would|may|might|should) {_FOLK} (?:find|read|see|get|open|access"
        rf"|look up|download|view|look at) (?:{_TEXT})?\u00a7(?: online| in full| myself)?",
        r"where (?:is|are) \u00a7(?: (?:stored|kept|saved|published|located|available"
        r"|to be found))?",
        r"where (?:does \u00a7 live|\u00a7 is(?: (?:stored|kept|published))?)",
        r"(?:(?:do you have|is there|can i (?:have|get|see)|could i (?:have|get)|send me|give me"
        r"|share) )?(?:a |the )?(?:link|url|copy|pdf|file) (?:to|of|for) \u00a7",
        r"(?:what|which) (?:file|document) (?:is|has) \u00a7(?: in)?",
        r"(?:show me|open) \u00a7",
    ),
    FactKind.SUMMARY: (
        rf"(?:summari[sz]e|sum up|outline|recap) (?:{_TEXT})?\u00a7{_SHORT}",
        r"(?:(?:give|get|write|make|show|send)(?: me)? |i need |i want )?(?:a |an |the )?"
        rf"(?:quick |short |brief |one page ){{0,4}}{_GIST} (?:of|on|for|in|from) \u00a7{_SHORT}",
        rf"what (?:is|are) the {_GIST} (?:of|in|from) \u00a7",
        r"what does \u00a7 (?:say|cover|contain|regulate|state)" + _SHORT,
        r"what is (?:\u00a7 (?:all )?about|in \u00a7|\u00a7 in (?:short|brief|a nutshell))",
        rf"\u00a7 (?:in (?:short|brief|a nutshell)|{_GIST})",
        r"(?:tl;? ?dr|tell me about|explain|describe) \u00a7" + _SHORT,
    ),
    FactKind.LISTING: (
        r"(?:what|which) (?:other |company |all ){0,4}(?:policies|policy documents|documents)"
        rf"(?: (?:{_HAVE}|can you (?:read|see|search|access|answer)(?: from| about)?"
        r"|are (?:there|available|stored|loaded|in here|known)|exist"
        r"|does (?:the|our|this) company have|can i (?:read|see|ask(?: you)? about)"
        rf"|are you based on))(?: (?:access to|at all|in total|about|all|for us)){{0,4}}{_WHEN}",
        rf"(?:what|which) policies are{_WHEN} (?:in force|in effect|valid|there)",
        r"(?:list|show|name|give)(?: me)?(?: a list of)?(?: all| the| your| our| of| available"
        r"| existing){0,4} (?:policies|policy documents|documents)(?: (?:that )?(?:you|we) (?:have"
        r"|know|cover)| in force| there are)?",
        r"(?:is there |do you have |can i (?:see|get) )?(?:a |the )?list of (?:all )?(?:the |your "
        r"|our )?policies",
        rf"how many (?:policies|documents) (?:{_HAVE}|are there)",
    ),
}
_COMPILED = tuple((kind, expression(rf"(?:{'|'.join(forms)})")) for kind, forms in _FORMS.items())
_APPLYING = (
    expression(
        r"(?:what|which) (?:company )?(?:policies|documents) (?:do |does |would )?"
        r"(?:also )?(?:apply|applies|hold|count|are (?:there|relevant|meant|binding|in force))"
        r" (?:to|for) (?P<role>[^\u00a7]{2,60})"
    ),
    expression(
        r"(?:what|which) (?:company )?policies (?:must|do|does|should|shall|have) (?P<role>"
        r"[^\u00a7]{2,60}?) (?:have to |need to |to ){0,4}(?:follow|comply with|know|read|observe"
        r"|obey|respect|adhere to)"
    ),
)
_ARTICLE = expression(r"\A(?:an?|the|our|all|every|any|us|me)(?: as)?(?: an?)? ?")
_POLITE = expression(
    r"\A(?:(?:please|pls|kindly|ok(?:ay)?|so|and|also|then|but|well|by the way|just|now|maybe"
    r"|(?:can|could|would|will) you(?: please)?(?: (?:tell me|say|let me know|check|look up"
    r"|find out))?|do you know|does anyone know|i (?:would like|want|need|wish) to know|tell me"
    r"|let me know|i wonder|i am wondering|any idea|quick question|question)[ ,:]+){0,4}"
)
_TAIL = expression(
    r"(?:(?:\A|(?<![ ,])[ ,]++)(?:please|pls|thanks|thank you|thx|for me|again|anyway|actually"
    r"|by the way|in fact)){0,4}\Z"
)
_PARTS = expression(r"[?!;]+|\.(?=\s|\Z)|,? (?:and|/) (?=[a-z\u00a7])|,")
_OPENS = expression(
    r"\W*(?:(?:please|and|what (?:does|is in|stands in|about)|what's in|show(?: me)?|read(?: me)?"
    r"|quote|open|was (?:steht in|sagt)|zeige?(?: mir)?) ){0,2}(?:the )?(?:text of )?(?:section"
    r"|sec\.?|\u00a7|clause|article|paragraph|abschnitt|ziffer|artikel) ?"
    r"(?P<number>\d{1,3}(?:\.\d{1,3}){0,5})(?: (?:of|in|from|der|des|in der) [^?.!]{3,100}?)?"
    r"(?: (?:say|state|contain|cover|regulate|require))?(?: (?:about|on) [^?.!]{2,60})?\W*",
    re.IGNORECASE,
)
_POINTS = expression(
    r"\b(?:it|(?:this|that) (?:policy|document|code|one)|the (?:policy|document))\b"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class WantedFact:
    """One fact that is asked for."""

    kind: FactKind
    """Which."""
    mention: PolicyMention | None = None
    """Of which policy, as it is named; None: of the one that was talked of, or of none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyQuestion:
    """What a message asks about policies, and nothing else."""

    wanted: tuple[WantedFact, ...]
    """The facts, in order; at least one."""
    text: str
    """The words in which policies are named: the message, or the question before it."""
    role: str = ""
    """Whom policies are to apply to; empty: the asker. For `applying` alone."""
    chosen: str | None = None
    """The title that was chosen where several policies have the name; None: none was."""

    @property
    def kinds(self) -> tuple[FactKind, ...]:
        """What is asked for, each once."""
        return tuple(dict.fromkeys(one.kind for one in self.wanted))


def policy_question(question: Question) -> PolicyQuestion | None:
    """Return the facts about policies that a message asks for; None if it asks anything else."""
    last = question.history[-1] if question.history else None
    own = _asked(question.search_text if question.standalone == question.text else question.text)
    if own is not None or last is None:
        return own
    is_reply = last.outcome == Outcome.CLARIFICATION and last.slot == POLICY_SLOT
    before = _asked(last.question) if is_reply else None
    chosen = next((one.value for one in question.assumptions if one.slot == POLICY_SLOT), None)
    if before is None or chosen is None:
        return None
    return PolicyQuestion(wanted=before.wanted, text=before.text, chosen=chosen)


def section_asked(text: str) -> str | None:
    """Return the number of the section that a message asks to see, and nothing else; or None."""
    asked = _OPENS.fullmatch(text) if len(text) <= LONGEST else None
    return asked["number"] if asked else None


def asks_for_summary(text: str) -> bool:
    """Say whether a message is understood as asking for the main rules of one named policy."""
    asked = _asked(text)
    wanted = asked.wanted if asked else ()
    return len(wanted) == 1 and wanted[0].kind is FactKind.SUMMARY and bool(wanted[0].mention)


def _asked(text: str) -> PolicyQuestion | None:
    said = without_greeting(text)
    if len(said) > LONGEST:
        return None
    said = plain(said)
    named = mentions(said)
    folded = _folded(said, named)
    role = _role(folded)
    if role is not None:
        return PolicyQuestion(wanted=(WantedFact(kind=FactKind.APPLYING),), text=said, role=role)
    wanted = _wanted(folded, named)
    return PolicyQuestion(wanted=tuple(dict.fromkeys(wanted)), text=said) if wanted else None


def _folded(said: str, named: Sequence[PolicyMention]) -> str:
    """Return a message in lower case, with a sign for each policy that it names."""
    said = said.replace(_THIS, " ")
    for mention in reversed(named):
        said = f"{said[: mention.start]}{_THIS}{said[mention.end :]}"
    said = re.sub(rf"\b(?:the|our|your|this|that) (?={_THIS})", "", said.casefold())
    return " ".join(
        said.replace("\u2019", "'").replace('"', "").replace(f"{_THIS}'s", _THIS).split()
    )


def _wanted(folded: str, named: Sequence[PolicyMention]) -> list[WantedFact]:
    """Return what each part of a message asks for; empty if any part asks something else."""
    found: list[WantedFact] = []
    current: PolicyMention | None = None
    rest = list(named)
    for part in filter(None, (_bare(one) for one in _PARTS.split(folded))):
        names = [rest.pop(0) for _ in range(part.count(_THIS))]
        current = names[0] if names else current
        if part == _THIS and found:
            found.append(WantedFact(kind=found[-1].kind, mention=current))
            continue
        kind = _kind(_POINTS.sub(_THIS, part))
        if kind is None or len(names) > 1:
            return []
        found.append(WantedFact(kind=kind, mention=None if kind is FactKind.LISTING else current))
    return found


def _bare(part: str) -> str:
    part = part.strip(" ,.:-")
    return _TAIL.sub("", _POLITE.sub("", f"{part} ").strip()).strip(" ,.:-")


def _kind(part: str) -> FactKind | None:
    return next((kind for kind, form in _COMPILED if form.fullmatch(part)), None)


def _role(folded: str) -> str | None:
    """Return whom a message asks policies for; empty: its writer. None: it asks something else."""
    part = _bare(folded.rstrip(" ?!."))
    for form in _APPLYING:
        found = form.fullmatch(part)
        if found:
            return _ARTICLE.sub("", found["role"]).strip()
    return None


_IT = "\u00a7"
_SAYS = expression(
    rf"(?P<before>.*?)\bwhat (?:does|do|did|has) (?:the |our )?{_IT} (?:say|state|tell us|tell me"
    r"|require|specify|have|regulate|rule|mention|contain|got) (?:to say )?"
    r"(?:about|on|regarding|concerning|for|when it comes to) (?=\S)",
    re.IGNORECASE | re.DOTALL,
)
"""What asks for all that a policy says about something."""


async def bind_to_policies(question: Question, corpus: CorpusReader) -> Question:
    """Return a question with the policies to which it is bound."""
    text = question.search_text
    if not (names_something(text) or rules_of(text)):
        return question
    versions = await corpus.versions(question.scope)
    named = policies_named(text, versions)
    asked = policy_question(question)
    wants_summary = asked is not None and asked.kinds == (FactKind.SUMMARY,)
    if asked and wants_summary:
        names = [one.mention for one in asked.wanted if one.mention]
        named = tuple(one for name in names for one in policies_meant(name, versions, asked.text))
    said = _asked_of(text, versions) if named else text
    keys = {one.metadata.key for one in named} or _of_country(text, versions)
    return replace(
        question,
        searched=question.searched if said == text else said,
        bound=frozenset(keys),
        wants_summary=wants_summary and bool(named),
        named=tuple(dict.fromkeys(one.metadata.title for one in named)),
        conditions=(*question.conditions, *_unknown(asked, versions)),
    )


def _asked_of(text: str, versions: Sequence[PolicyVersion]) -> str:
    """Return what is asked of a policy that is named, without its name.

    "What does the gifts policy say about vouchers?" asks for rules on vouchers: sentences that
    name the policy answer no better for it, and are what a search for the name would find.
    """
    said = text.replace(_IT, " ")
    for mention in reversed(mentions(said)):
        if policies_meant(mention, versions, said):
            said = f"{said[: mention.start]}{_IT}{said[mention.end :]}"
    asks = _SAYS.match(said)
    if asks is None:
        return text
    rest = said[asks.end() :].replace(_IT, "the policy")
    return f"{asks['before']}Which rules are there on {rest}"


def _of_country(text: str, versions: Sequence[PolicyVersion]) -> set[str]:
    """Return the policies of the countries that a question names, with those that hold everywhere.

    None where no policy is of such a country: all may be searched then.
    """
    countries = rules_of(text)
    local = [one for one in versions if one.metadata.jurisdiction in countries]
    there = [one for one in versions if one.metadata.jurisdiction in {*countries, None}]
    return {one.metadata.key for one in there} if local and len(there) < len(versions) else set()


def _unknown(
    asked: PolicyQuestion | None, versions: Sequence[PolicyVersion]
) -> tuple[Condition, ...]:
    """Return the names in a question about policies themselves that none of them has."""
    names = [one.mention for one in asked.wanted if one.mention] if asked else []
    return tuple(
        Condition(
            kind=ConditionKind.POLICY,
            words=shown(one.text),
            name=" ".join(one.words),
            is_new=True,
        )
        for one in dict.fromkeys(names)
        if asked and not policies_meant(one, versions, asked.text)
    )
