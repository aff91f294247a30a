"""Which questions people are offered to begin with.

    wording -> what people ask first -> answered by rules -> answered by the deployment -> kept

- Each is answered by the deployment itself, for sure or nearly so, and quotes the rule that it was
  made of: nobody's first question is refused.
- They are spread over the policies. Only what everyone may read counts, so that they can be shown
  to anybody.
- Rules answer first, since that costs nothing; a language model is then asked little more than is
  kept.
"""

import hashlib
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from core.agent.conversation.misconduct import is_report, speaks_of_somebody
from core.agent.rehearsal import Rehearses
from core.agent.request import AskRequest
from core.agent.starters.wording import Kind, Worded, worded
from core.domain.answer import Answer, Badge, Outcome
from core.domain.conversation import Place
from core.domain.errors import ContractError, EmptyCorpusError
from core.domain.policy import EVERYONE
from core.domain.question import Scope
from core.ports import Embedder
from core.ports.starters import Starter, StarterStore

MOST = 4
"""Starters: as many as Slack takes."""
CHECKED, ASKED = 40, 10
"""Questions that rules answer at most, and that the deployment does where it asks a model."""
COMPARED = 300
"""Questions that are ordered by what people ask; of more, as many of each policy."""
TOPIC = 32
"""Characters of a topic: Teams' limit of a command's title."""
GENERAL = "Policy question"
_GENERIC = frozenset(
    {"purpose and scope", "purpose", "scope", "introduction", "overview", "general", "index"}
    | {"frequently asked questions", "faq", "readme", "contents", "background"}
)
"""Titles that say nothing of what a document is about."""
SURE = frozenset({Badge.HIGH, Badge.MEDIUM})
EXAMPLES = (
    "Can I accept a gift from a supplier?",
    "Up to what value can I accept an invitation to dinner?",
    "Can I take a paid side job?",
    "Can I work from another country?",
    "Can I work from home?",
    "How soon do I have to hand in my expenses?",
    "How long do I have to keep receipts?",
    "Can I fly business class?",
    "Can I use my private phone for work?",
    "Can I install software on my laptop?",
    "Can I send customer data to a supplier?",
    "How often do I have to change my password?",
    "Do I have to lock my screen?",
    "How soon do I have to report a lost laptop?",
    "How long do I have to keep contracts?",
    "Can I buy shares of our customers?",
    "Can I take time off at short notice?",
    "How far in advance do I have to request vacation?",
    "Can I post about work on social media?",
    "Can I speak at a conference?",
    "Can I hire a relative?",
    "Do I need approval for a business trip?",
    "Can I use open source software?",
    "How often do I have to complete the training?",
)
"""What people ask who are new in a company: what is like one of these is offered first. None of
them is offered itself."""
_BONUS: Mapping[Kind, float] = {
    Kind.LIMIT: 0.12,
    Kind.DEADLINE: 0.08,
    Kind.PERMISSION: 0.08,
    Kind.HEADING: 0.04,
    Kind.DUTY: -0.1,
}
"""Added to a likeness: whether something is allowed is asked more than whether it must be done."""
_ABROAD = 0.15
"""Taken from it where the rule holds in one country alone."""
_AGAIN = 0.85
"""Likeness of two questions of which one is enough."""

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """A question with what became of it."""

    question: str
    """What was asked."""
    answer: Answer
    """What it got; see `is_sure`."""

    @property
    def is_sure(self) -> bool:
        """True if it was answered, with High or Medium confidence."""
        is_answered = self.answer.outcome is Outcome.ANSWERED
        return is_answered and self.answer.confidence.badge in SURE


@dataclass(frozen=True, slots=True, kw_only=True)
class StarterChoice:
    """Chooses starters. Records nothing."""

    store: StarterStore
    answering: Rehearses
    rules: Rehearses | None
    """Answers without a model; None: so does `answering`."""
    embedder: Embedder | None

    async def choose(self, *, on_day: date, named: Sequence[str] = ()) -> tuple[Starter, ...]:
        """Return what is offered: the questions that an admin named, else the best of the corpus.

        An admin's are returned whether they are answered or not: see `Starter.badge`.

        Raises:
            TransientError: The database failed.
        """
        if named:
            return tuple([await self._named(question, on_day) for question in named])
        rules = await self.store.rules(Scope(as_of=on_day, groups=frozenset({EVERYONE})))
        found = [one for one in worded(rules) if not _is_delicate(one.question)]
        return await self._answered(await self._in_order(found), on_day)

    async def _named(self, question: str, on_day: date) -> Starter:
        answer: Answer | None = None
        try:
            answer = await self._ask(self.answering, question, on_day)
        except EmptyCorpusError:
            logger.warning("a starter of CITEBOUND_STARTERS can't be answered: no policy yet")
        checked = None if answer is None else Checked(question=question, answer=answer)
        is_sure = checked is not None and checked.is_sure
        title = answer.citations[0].place.policy_title if answer and answer.citations else question
        return Starter(
            starter_id=starter_id_of(question),
            topic=topic_of(title),
            question=question,
            badge=answer.confidence.badge if answer and is_sure else None,
        )

    async def _answered(self, found: Sequence[Worded], on_day: date) -> tuple[Starter, ...]:
        """Return the first that are answered: one of each policy, then a second one of each."""
        kept, left = list[Starter](), list(found)
        tried, asked = 0, 0
        for most_of_policy in (1, 2):
            put_off = list[Worded]()
            for one in left:
                of_policy = sum(each.policy_key == one.rule.policy_key for each in kept)
                if len(kept) == MOST or tried == CHECKED or asked == ASKED:
                    break
                if of_policy >= most_of_policy:
                    put_off.append(one)
                    continue
                tried += 1
                if self.rules is not None:
                    if not _answers(await self._ask(self.rules, one.question, on_day), one):
                        continue
                    asked += 1
                answer = await self._ask(self.answering, one.question, on_day)
                if _answers(answer, one):
                    kept.append(self._starter(one, answer))
            left = put_off
        return tuple(kept)

    def _starter(self, one: Worded, answer: Answer) -> Starter:
        return Starter(
            starter_id=starter_id_of(one.question),
            topic=topic_of(one.rule.policy_title),
            question=one.question,
            policy_key=one.rule.policy_key,
            badge=answer.confidence.badge,
        )

    async def _ask(self, by: Rehearses, question: str, on_day: date) -> Answer:
        place = Place(thread="starters")
        run = await by.rehearse(AskRequest(text=question, place=place, as_of=on_day))
        return run.answer

    async def _in_order(self, found: Sequence[Worded]) -> Sequence[Worded]:
        """Return questions as people ask them first; without an embedder by their kind."""
        compared = _spread(found, COMPARED)
        likeness = dict.fromkeys((one.question for one in compared), 0.0)
        vectors: dict[str, tuple[float, ...]] = {}
        if self.embedder is not None and compared:
            try:
                made = await self.embedder.embed_documents([*EXAMPLES, *likeness])
            except ContractError as error:
                logger.warning("starters are ordered without an embedder: %s", error)
            else:
                examples, own = made[: len(EXAMPLES)], made[len(EXAMPLES) :]
                vectors = dict(zip(likeness, own, strict=True))
                for question, vector in vectors.items():
                    likeness[question] = max(_cosine(vector, one) for one in examples)
        ordered = sorted(
            compared,
            key=lambda one: (
                -likeness[one.question]
                - _BONUS[one.kind]
                + (_ABROAD if one.rule.jurisdiction else 0),
                one.question,
            ),
        )
        return _different(ordered, vectors)


def starter_id_of(question: str) -> str:
    """Return the id of a question: 96 bits of its hash."""
    return hashlib.sha256(question.encode()).hexdigest()[:24]


def topic_of(title: str) -> str:
    """Return what a policy is about: its title without "Policy", as short as a button's title."""
    if title.casefold() in _GENERIC:
        return GENERAL
    words = [
        word
        for word in title.split()
        if word.casefold().strip(":") not in {"policy", "policies", "guidelines", "the", "guide"}
    ]
    told = ""
    for word in words or title.split():
        if len(told) + 1 + len(word) > TOPIC:
            break
        told = f"{told} {word}".strip()
    while told.rpartition(" ")[2].casefold() in {"and", "of", "for", "&", "to", "with", "-", "the"}:
        told = told.rpartition(" ")[0]
    told = told.rstrip(",;:") or title[:TOPIC]
    return told.capitalize() if told.isupper() and " " in told else told


def _answers(answer: Answer, one: Worded) -> bool:
    """Say whether an answer is sure, and quotes the rule that the question was made of."""
    return Checked(question=one.question, answer=answer).is_sure and any(
        cited.span.version_id == one.rule.span.version_id
        and cited.span.char_start < one.rule.span.char_end
        and one.rule.span.char_start < cited.span.char_end
        for cited in answer.citations
    )


def _is_delicate(question: str) -> bool:
    return is_report(question) or speaks_of_somebody(question)


def _spread(found: Sequence[Worded], most: int) -> Sequence[Worded]:
    """Return as many questions of each policy, those first of which there are most kinds."""
    by_policy: dict[str, list[Worded]] = {}
    for one in sorted(found, key=lambda each: each.kind):
        by_policy.setdefault(one.rule.policy_key, []).append(one)
    taken: list[Worded] = []
    for at in range(max((len(each) for each in by_policy.values()), default=0)):
        taken += [each[at] for each in by_policy.values() if at < len(each)]
        if len(taken) >= most:
            break
    return taken[:most]


def _different(
    ordered: Sequence[Worded], vectors: Mapping[str, tuple[float, ...]]
) -> Sequence[Worded]:
    """Return questions without those that ask what an earlier one of the same policy asks."""
    kept: list[Worded] = []
    for one in ordered:
        mine = vectors.get(one.question)
        alike = (
            vectors.get(other.question)
            for other in kept
            if other.rule.policy_key == one.rule.policy_key
        )
        if mine is None or all(other is None or _cosine(mine, other) < _AGAIN for other in alike):
            kept.append(one)
    return kept


def _cosine(one: Sequence[float], other: Sequence[float]) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True))
