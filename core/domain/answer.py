"""From draft to outcome: claims, verdicts, decisions and what a person is shown.

How the text of an answer is built says `core.agent.reply.text_blocks`.
"""

from dataclasses import dataclass
from datetime import date
from enum import StrEnum

from core.domain.ontology import SectionRef
from core.domain.policy import AnswerSource
from core.language.spans import Span


class Outcome(StrEnum):
    """How a question ended; each ends in exactly one."""

    ANSWERED = "answered"
    CLARIFICATION = "clarification"
    REFUSED = "refused"
    ESCALATED = "escalated"
    IGNORED = "ignored"
    FAILED = "failed"


class RefusalKind(StrEnum):
    """Why there is no answer."""

    POLICY_SILENT = "policy_silent"
    """The policies treat the topic, and nothing in them answers."""
    NOT_FOUND = "not_found"
    """Nothing that answers was found."""
    NOT_SURE = "not_sure"
    """Something was found that may answer: it is quoted as the closest passage."""
    OUT_OF_SCOPE = "out_of_scope"
    NOT_PERMITTED = "not_permitted"
    CONFLICT = "conflict"
    LANGUAGE = "language"
    """Only a language model could answer in this language, and there is none."""


class Decision(StrEnum):
    """What `decide` says of one attempt."""

    FINAL = "FINAL"
    RETRY = "RETRY"
    CLARIFY = "CLARIFY"
    ESCALATE = "ESCALATE"


class Badge(StrEnum):
    """What a person sees of the calibrated confidence."""

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"


@dataclass(frozen=True, slots=True, kw_only=True)
class Citation:
    """claim -> evidence: the span that a claim rests on."""

    key: str
    """Key of the evidence item it was drafted from."""
    span: Span
    """What is quoted: a span within that item."""
    quote: str
    """The text at the span as the drafter gave it; `verify` holds it against the stored text."""
    is_header: bool = False
    """True: it names the columns of the table row that is cited after it, and states nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """One checkable statement of a draft."""

    text: str
    """The statement, without citation marks."""
    citations: tuple[Citation, ...]
    """What it rests on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Branch:
    """A fact whose values lead to different answers."""

    slot: str
    """The missing fact."""
    question: str
    """What to ask."""
    options: tuple[str, ...]
    """Its values, at least two."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Clarification:
    """A question back, naming the missing fact."""

    intent: str
    """As in `Plan`."""
    question: str
    """What to ask; never empty."""
    slot: str
    """The missing fact: `referent`, `jurisdiction`, `employment`, or the name of an entity."""
    options: tuple[str, ...] = ()
    """Values to choose from; free text is accepted too."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """An unverified answer."""

    claims: tuple[Claim, ...]
    """In the order in which they are shown."""
    note: str = ""
    """What the drafter says beside its claims ("The two policies differ"); never shown as a
    claim."""
    missing: str | None = None
    """What the drafter could not find (an anchor, one side of a comparison); None if nothing."""
    branch: Branch | None = None
    """A fact on which the answer depends and which the question leaves open; None if there is
    none."""
    is_conflict: bool = False
    """True if the claims contradict each other and nothing says which prevails."""
    asked: Clarification | None = None
    """A question back in place of claims; None beside claims."""
    left_open: tuple[str, ...] = ()
    """Questions of a message that asks several, to which the claims are no answer, in the asker's
    words."""


class Check(StrEnum):
    """What a claim must pass: the deterministic checks of `verify`, and the judge's verdict."""

    CITED = "cited"
    QUOTE = "quote"
    NUMBERS = "numbers"
    MODALITY = "modality"
    NAMES = "names"
    PLACE = "place"
    SUPPORT = "support"
    JUDGED = "judged"


BY_CODE = tuple(check for check in Check if check is not Check.JUDGED)
"""The checks of `verify`, which no model takes part in."""


class Support(StrEnum):
    """How far a claim says what it cites, in a judge's words."""

    SUPPORTED = "supported"
    PARTLY = "partly"
    NOT = "not"


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimJudgement:
    """A judge's verdict on one claim."""

    support: Support
    """How far its sources cover it."""
    words: str = ""
    """What of it they do not cover; empty if they cover all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """Outcome of one check of one claim."""

    claim: int
    """Index of the claim in the draft, from 0."""
    check: Check
    """Which check."""
    passed: bool
    """True if it holds."""
    reason: str = ""
    """Why not; empty if it holds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verified:
    """A draft with its verdicts: what is left of it, and what was dropped."""

    claims: tuple[Claim, ...]
    """Claims that passed every check, quotes read from the database."""
    dropped: tuple[Claim, ...]
    """Claims that failed one."""
    verdicts: tuple[Verdict, ...]
    """All checks of all claims of the draft."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Critique:
    """The critic's reading: no score, no approval."""

    refine: bool
    """True if one refinement would help."""
    issues: tuple[str, ...] = ()
    """What it found."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """The judge's scores, each in [0, 1], its verdict and its decision."""

    faithfulness: float
    """Do the claims say what the evidence says?"""
    relevance: float
    """Do they answer this question?"""
    completeness: float
    """Do they answer all of it?"""
    approved: bool
    """False: needs review."""
    decision: Decision
    """The judge's token."""
    reason: str = ""
    """Its reason."""
    measures: tuple[tuple[str, float], ...] = ()
    """What else it measured, by name, each in [0, 1]: features for the calibration."""
    claims: tuple[ClaimJudgement, ...] = ()
    """A verdict on each claim of what it judged, in order; empty if it gave none."""

    @property
    def lowest(self) -> float:
        """The lowest of the three scores."""
        return min(self.faithfulness, self.relevance, self.completeness)

    @property
    def is_partly_supported(self) -> bool:
        """True if a claim says more than its sources cover."""
        return any(one.support is Support.PARTLY for one in self.claims)

    @property
    def score(self) -> float:
        """The mean of the three scores: what a retry must raise."""
        return (self.faithfulness + self.relevance + self.completeness) / 3


@dataclass(frozen=True, slots=True, kw_only=True)
class NotJudged:
    """No valid judgement: never an approval."""

    reason: str
    """Why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Confidence:
    """How far to trust an answer."""

    reported: float | None
    """The reasoner's own number in [0, 1]; None if it gave none."""
    calibrated: float | None
    """Probability that the answer is right, in [0, 1]; None without an answer."""
    badge: Badge | None
    """What people see; None without an answer."""
    is_calibrated: bool
    """False while defaults stand in for a calibration on answers of this deployment."""
    features: tuple[tuple[str, float], ...] = ()
    """What `calibrated` was computed from, by name."""
    is_on_samples: bool = False
    """True if the default was fitted on answers about policies of others."""
    calibration: str | None = None
    """Name of the calibration; None without one."""


QUOTED = Confidence(
    reported=None,
    calibrated=None,
    badge=Badge.MEDIUM,
    is_calibrated=False,
    features=(("metadata", 1.0),),
)
"""Of exact quotes that rules chose: that they are the ones that matter is nobody's word."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownCitation:
    """A citation as released: [n], the stored quote and where it stands."""

    number: int
    """The n of [n], from 1."""
    key: str
    """Key of the evidence item."""
    span: Span
    """What is quoted."""
    quote: str
    """The stored text at the span."""
    place: SectionRef
    """Where it is, as people say it."""
    effective_from: str | None
    """First day in force of the version, ISO; None: since ever."""
    header: int | None = None
    """The number of what names the columns of this table row; None: it is none, or that is cited
    like any other. No claim has the mark of it, and no list of sources shows it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownClaim:
    """A claim as released."""

    text: str
    """The statement."""
    numbers: tuple[int, ...]
    """The [n] behind it; never empty."""
    rendering: str = ""
    """Its translation into the asker's language, as shown; empty: it was shown as it is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToldPrecedent:
    """What an answer says of the precedent that it is."""

    precedent_id: str
    """UUID."""
    number: int
    """By which officers name it."""
    approved_on: date
    """When a second officer approved it, UTC."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a person is shown: one outcome with all that belongs to it."""

    outcome: Outcome
    """How the question ended."""
    text: str
    """The answer with [n], the clarification's question, or the refusal's words."""
    claims: tuple[ShownClaim, ...] = ()
    """The answer's statements; of a refusal the quotations of the closest passage, what contradicts
    each other, or what can't wait."""
    citations: tuple[ShownCitation, ...] = ()
    """What the claims rest on, in order of n."""
    confidence: Confidence
    """Badge and numbers."""
    refusal: RefusalKind | None = None
    """Why there is no answer; None unless `refused`, or `escalated` and no report."""
    nearest: tuple[SectionRef, ...] = ()
    """Sections near the question; of an answer those that it does not quote."""
    slot: str | None = None
    """The missing fact; None unless `clarification`."""
    options: tuple[str, ...] = ()
    """Values of the missing fact to choose from; free text is accepted too."""
    assumptions: tuple[str, ...] = ()
    """What was assumed, as printed ("Germany")."""
    notes: tuple[str, ...] = ()
    """What the reader should know beside the answer ("Answered without a model")."""
    precedent: ToldPrecedent | None = None
    """The precedent that it tells; None: no officer answered."""
    case_number: int | None = None
    """Number of the case that the question became by itself; None: it became none."""
    is_private: bool = False
    """True: where others read, it is shown to the asker alone."""
    language: str = "en"
    """Code of the language in which its own words are (ISO 639-1); quotes stay in theirs."""
    sources: tuple[AnswerSource, ...] = ()
    """What is known of the policies that it cites or names, beside their texts; each once."""

    @property
    def is_report(self) -> bool:
        """True if the question was a report, which is never answered and never shown."""
        return self.outcome is Outcome.ESCALATED and self.refusal is None

    @property
    def quoted(self) -> tuple[ShownCitation, ...]:
        """What its claims rest on: its citations without those that name columns."""
        headers = {one.header for one in self.citations}
        return tuple(one for one in self.citations if one.number not in headers)

    @property
    def is_closest(self) -> bool:
        """True if it answers nothing and quotes the passage that comes closest to an answer."""
        is_unsure = self.outcome is Outcome.REFUSED and self.refusal is RefusalKind.NOT_SURE
        return is_unsure and bool(self.claims and self.citations)

    @property
    def needs_person(self) -> bool:
        """True if only a person can answer, and the question may be passed on: it is no report."""
        is_escalated = self.outcome is Outcome.ESCALATED and self.refusal is not None
        return is_escalated or self.refusal is RefusalKind.CONFLICT
