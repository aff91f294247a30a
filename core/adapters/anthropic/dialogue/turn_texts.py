"""The content of each turn: findings, passages and the question as data, then our instructions."""

from collections.abc import Iterable, Mapping, Sequence

from core.adapters.anthropic.api.api_types import Block
from core.adapters.anthropic.dialogue.dialogue import Dialogue, data_block, source_of, text_block
from core.adapters.anthropic.dialogue.tools import Reported
from core.agent.conversation.misconduct import was_confidential
from core.agent.planning.facts import findings_of
from core.domain.answer import Judgement, NotJudged, Support
from core.domain.evidence import Context, EvidenceItem, Finding
from core.domain.json_value import Json
from core.domain.ontology import Entity, EntityKey, EntityType, RelationType, Snapshot
from core.domain.question import Question
from core.domain.run import Attempt, RunLimits
from core.language.spans import Span, VersionId
from core.ontology.fact_words import NAMING, STATED
from core.ontology.tools.registry import is_statement
from core.ontology.whole_rule import context_of
from core.ports import Knowledge

NEAR = 3
"""Findings of which neighbours are read before the first turn."""
JOINED = 6
"""Neighbours read at most."""
_HEADINGS = frozenset({EntityType.POLICY, EntityType.SECTION})
_FACTS = frozenset(EntityType) - _HEADINGS
_LOOSE = frozenset({RelationType.PART_OF, RelationType.REFERENCES})


class Findings:
    """Findings of one run, each span once, in the order in which they were added."""

    def __init__(self, knowledge: Knowledge) -> None:
        self._knowledge = knowledge
        self._found: dict[Span, Finding] = {}
        self._context: dict[Span, Context] = {}

    @property
    def all(self) -> tuple[Finding, ...]:
        """All findings."""
        return tuple(self._found.values())

    @property
    def context(self) -> tuple[Context, ...]:
        """What was shown beside the findings because it belongs to their rules."""
        return tuple(self._context.values())

    async def complete(self) -> tuple[Context, ...]:
        """Add what belongs to the rules of the findings, and return what was added."""
        belonging = await context_of(self.all, self._knowledge)
        new = {
            one.span: one
            for one in belonging
            if one.span not in self._context and one.span not in self._found
        }
        self._context |= new
        return tuple(new.values())

    def extend(self, found: Iterable[Finding]) -> None:
        """Add findings that state something."""
        for finding in found:
            if is_statement(finding.text, finding.place):
                self._found.setdefault(finding.span, finding)

    async def read(self, evidence: Sequence[Json]) -> list[Finding]:
        """Add the facts in a tool's evidence, and return them."""
        told = {span: key for item in evidence for span, key in _told(item)}
        if not told:
            return []
        part = await self._knowledge.touching(told.keys(), _FACTS, ends=NAMING)
        named = {entity.key: entity for entity in part.entities}
        owners = {
            span: named[key].key
            if key in named and span in named[key].spans
            else _owner(span, part)
            for span, key in told.items()
        }
        stated = {span: key for span, key in owners.items() if key and part.quotes.get(span)}
        self.extend(findings_of(stated, part))
        return [self._found[span] for span in stated if span in self._found]

    async def join(self) -> None:
        """Add the facts related to the first findings: exceptions, limits, deadlines."""
        near = {finding.entity for finding in self.all[:NEAR]}
        part = await self._knowledge.entities(near, ends=STATED)
        known = {entity.key: entity for entity in part.entities}
        wanted: dict[Span, EntityKey] = {}
        for relation in part.relations:
            other = relation.target if relation.source in near else relation.source
            entity = known.get(other)
            if relation.type in _LOOSE or entity is None or entity.type not in STATED:
                continue
            span = entity.spans[0]
            if span not in self._found and len(wanted) < JOINED and part.quotes.get(span):
                wanted.setdefault(span, entity.key)
        if wanted:
            joined = await self._knowledge.entities(
                set(wanted.values()), at=wanted.keys(), ends=NAMING
            )
            self.extend(findings_of(wanted, joined))


def span_of(item: Json) -> Span | None:
    """Return the span of an item of a tool's evidence; None if it has none."""
    if not isinstance(item, Mapping):
        return None
    version, start, end = (item.get(name) for name in ("version_id", "char_start", "char_end"))
    if not (isinstance(version, int) and isinstance(start, int) and isinstance(end, int)):
        return None
    return Span(version_id=VersionId(version), char_start=start, char_end=end)


def _told(item: Json) -> Iterable[tuple[Span, EntityKey]]:
    """Yield the span of an item of evidence, with the entity that it is given for."""
    span = span_of(item)
    if span is not None and isinstance(item, Mapping):
        yield span, EntityKey(str(item.get("entity")))


def _owner(span: Span, part: Snapshot) -> EntityKey | None:
    """Return the entity of a span, preferably one that answers by itself."""
    own: Sequence[Entity] = [
        entity for entity in part.entities if entity.type in _FACTS and span in entity.spans
    ]
    stated = [entity for entity in own if entity.type in STATED]
    return stated[-1].key if stated else own[0].key if own else None


TURNS = 4
"""Earlier turns of the conversation that are sent."""
TURN = 1_200
"""Characters sent of a turn."""
SUMMARISED = 90
"""Characters of a finding in the summary."""
BEGIN = "Answer the question above."
NO_CHUNKS = (
    "There are no document passages in scope: whatever you report, nothing further can be"
    " retrieved. Answer from the findings."
)
ASKED_ENOUGH = (
    "You have asked back as often as you may: do not ask again. Answer for each case there is."
)
NO_TOOLS = "No tools are left."
LOOK_ONCE_MORE = (
    "Only if these passages leave the question open: instead of answering, call `search_passages`"
    " once more in other words, several at once, or `read_section`, or ask with `make_plan`."
)
ANSWER_NOW = "Answer the question now, from what you have."
USE_BOTH = (
    "Above are a summary of the findings so far and passages of the documents. Answer the question"
    " now, using both: the findings and the passages. Where they conflict, the passage prevails,"
    " and you say in a sentence that they conflict, citing both."
)
BETTER = (
    "Your earlier answer was not good enough, for the reasons above. Write a better one, whole: it"
    " replaces the earlier one. Leave out what no source supports."
)


def asked(question: Question) -> Block:
    """Return the question with its scope, and with as much of its thread as may be sent.

    Earlier turns that report misconduct are left out, and so are answers given to groups whose
    policies are not readable now.
    """
    scope = question.scope
    value: dict[str, Json] = {
        "text": question.text,
        "day": scope.as_of.isoformat(),
        "jurisdiction": scope.jurisdiction,
        "only_policies_tagged": sorted(scope.tags),
        "assume": {one.slot: one.value for one in question.assumptions},
        "earlier_turns": [
            {
                "question": turn.question[:TURN],
                "outcome": turn.outcome,
                "answer": turn.answer[:TURN] if turn.groups <= scope.groups else "",
            }
            for turn in question.history[-TURNS:]
            if not was_confidential(turn)
        ],
    }
    if question.own != question.text:
        value["as_understood_in_its_thread"] = question.own
    if question.context:
        value["messages_around_it"] = [
            {"which": one.part, "by_the_asker": one.is_own, "text": one.text}
            for one in question.context
        ]
    return data_block("question", value)


def opening(
    question: Question,
    found: Sequence[Finding | Context],
    *,
    dialogue: Dialogue,
    digest: Block,
    how_to_cite: str | None,
    has_nothing_else: bool,
) -> list[Block]:
    """Return the first turn.

    Args:
        question: What was asked.
        found: Findings so far, and what belongs to their rules.
        dialogue: Shows the sources.
        digest: The overview of the ontology; the same for an edition and scope.
        how_to_cite: Instructions about marks; None with native citations.
        has_nothing_else: True if documents would be retrieved and there are none.
    """
    words = [BEGIN]
    if has_nothing_else:
        words.append(NO_CHUNKS)
    if question.asked_back >= RunLimits().max_clarifications:
        words.append(ASKED_ENOUGH)
    if how_to_cite:
        words.append(how_to_cite)
    return [
        digest,
        asked(question),
        *shown(found, dialogue=dialogue),
        text_block(" ".join(words)),
    ]


def passages(
    chunks: Sequence[EvidenceItem],
    findings: Findings,
    reported: Sequence[Reported],
    *,
    dialogue: Dialogue,
) -> list[Block]:
    """Return passages of documents after a summary of the findings."""
    summary: dict[str, Json] = {
        "findings": [
            f"{finding.place.policy_title} {finding.place.number or ''}: "
            f"{' '.join(finding.text.split())[:SUMMARISED]}"
            for finding in findings.all
        ],
        "you_reported": [{"score": one.score, "reasoning": one.reasoning} for one in reported],
    }
    return [data_block("findings_so_far", summary), *shown(chunks, dialogue=dialogue)]


def shown(items: Sequence[Finding | Context | EvidenceItem], *, dialogue: Dialogue) -> list[Block]:
    """Return items as sources, each once in a run, with its lead-in."""
    blocks: list[Block] = []
    for item in items:
        source = source_of(item.text, item.span, item.place, lead_in=item.lead_in)
        if source is not None and not dialogue.has_shown(item.span):
            blocks.append(dialogue.show(source))
    return blocks


def failure(previous: Attempt) -> Block:
    """Return why an earlier answer was not good enough, as data: it has text of models."""
    judgement, critique = previous.judgement, previous.critique
    value: dict[str, Json] = {
        "decided": previous.reason,
        "failed_checks": [
            {"sentence": one.claim + 1, "check": one.check.value, "reason": one.reason}
            for one in previous.verdicts
            if not one.passed
        ],
        "critic": list(critique.issues) if critique else [],
    }
    if isinstance(judgement, Judgement):
        value["judge"] = {
            "faithfulness": judgement.faithfulness,
            "relevance": judgement.relevance,
            "completeness": judgement.completeness,
            "reason": judgement.reason,
            "not_covered": [
                {"claim": number, "support": one.support.value, "words": one.words}
                for number, one in enumerate(judgement.claims, start=1)
                if one.support is not Support.SUPPORTED
            ],
        }
    elif isinstance(judgement, NotJudged):
        value["judge"] = {"reason": judgement.reason}
    return data_block("earlier_answer", value)
