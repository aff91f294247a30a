"""What became of each question of a run: one line of its file.

The first line says what was run (`RunHeader`), each further one is a `QuestionResult`. A line is
written when its question is finished, so whoever was interrupted goes on behind the last one.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Generic, Self, TypeVar

from pydantic import TypeAdapter, ValidationError

from core.domain.answer import Outcome
from core.domain.errors import UsageError
from core.domain.run import ModelCall, Run, TokenUse, total_cost, total_tokens
from evals.measuring.grading import CitationCounts, CodeGrade, Grade, NotGraded
from evals.measuring.questions import LabelledQuestion

FORMAT = 1
"""Of the file."""
WHOLE = ".json"
"""Ending of the file of a finished run, which has its figures too."""
BY_CODE, BY_MODEL = "code", "model"


@dataclass(frozen=True, slots=True, kw_only=True)
class Conditions:
    """With what a run is made: its first line."""

    settings: Mapping[str, str]
    """The settings that answers depend on, as they may be shown: no secret."""
    versions: Mapping[str, str | None]
    """Of the product, Python, and each model."""
    code_sha256: str
    """Of the code that answers, and of that which grades, in hex."""
    started_at: str
    """When, in UTC, ISO 8601."""
    ignored: ClassVar[frozenset[str]]
    """Fields that may differ."""
    inside: ClassVar[frozenset[str]]
    """Fields of which what they hold is named."""

    def differences(self, other: Self) -> list[str]:
        """Name what another run was run with otherwise; nothing if its results can stand here."""
        mine, theirs = asdict(self), asdict(other)
        for values in (mine, theirs):
            for name in self.inside:
                values.update(values[name])
        return sorted(
            name
            for name in (mine.keys() | theirs.keys()) - self.ignored - self.inside
            if mine.get(name) != theirs.get(name)
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class RunHeader(Conditions):
    """What was run, and with what; two runs with equal conditions may share their results."""

    format: int = FORMAT
    """Version of the file's format."""
    questions: str
    """The set, by its file's name."""
    questions_sha256: str
    """Of the questions asked, in hex."""
    corpus_sha256: str
    """Of the names and bytes of what they were asked of, in hex."""
    options: Mapping[str, Any]
    """How it was run: `rag`, `reasoner`, `ablate`, `alone`, `grader`, `only`, `limit`."""
    commit: str | None
    """The checkout's commit, with `-dirty` if files differ from it; None outside a checkout."""
    unreviewed: int = 0
    """How many of the questions were drafted and accepted by nobody."""

    ignored: ClassVar[frozenset[str]] = frozenset({"commit", "started_at", "questions"})
    inside: ClassVar[frozenset[str]] = frozenset({"options", "settings", "versions"})


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionResult:
    """One question asked and graded."""

    id: str
    """The question's, in its set."""
    question: str
    """As typed."""
    document: str | None
    """The document it was asked of; None: all policies."""
    kind: str
    """See `LabelledQuestion.kind`."""
    difficulty: str | None
    """See `LabelledQuestion.difficulty`."""
    expected: tuple[str, ...]
    """Outcomes that are right, in alphabetical order."""
    outcome: str
    """Value of `Outcome`; `failed` if it could not be asked."""
    refusal: str | None = None
    """Value of `RefusalKind`; None if it was not refused."""
    passed: bool = False
    """True if it was right and fully quoted, or rightly not answered."""
    outcome_right: bool = False
    """True if it ended as it should, whatever was quoted."""
    quoted: bool | None = None
    """True if what was quoted answers, as the answer or as the closest passage; None if nothing was
    quoted or nothing is labelled."""
    graded_by: str = BY_CODE
    """`code` or `model`: who decided `passed`."""
    code_passed: bool = False
    """What code says."""
    model_grade: Grade | None = None
    """What the model says; None if it was not asked or gave no grade."""
    not_graded: str | None = None
    """Why the model gave no grade; None if it gave one or was not asked."""
    is_closest: bool = False
    """True if it was not answered, and the closest passage was shown."""
    citations: CitationCounts = field(
        default_factory=lambda: CitationCounts(shown=0, right=0, labelled=0, found=0)
    )
    """How citations and labels meet."""
    quotes_stored: bool = True
    """True if every quote is the stored text."""
    features: Mapping[str, float] = field(default_factory=dict[str, float])
    """What the confidence was computed from, by name, as in the record."""
    reported: float | None = None
    """The reasoner's own number in [0, 1]; None if it gave none."""
    calibrated: float | None = None
    """Probability that the answer is right, as the product gives it; None without a draft."""
    badge: str | None = None
    """Value of `Badge`; None without a draft."""
    retrieval_used: bool = False
    """True if chunks were retrieved."""
    reasoner: str = ""
    """Name and version of who reasoned; empty if nobody did."""
    model_calls: int = 0
    """Calls of language models, the grader's aside."""
    round_trips: int = 0
    """Waits for a language model, one after the other."""
    tokens: TokenUse = field(default_factory=lambda: TokenUse(fresh=0))
    """Of all calls, the grader's among them."""
    cost_usd: float | None = 0.0
    """Likewise; None if a price is not known."""
    ms: float = 0.0
    """Time of the run, in milliseconds."""
    quotes: tuple[str, ...] = ()
    """What it cites."""
    text: str = ""
    """What would be shown, or why it could not be asked."""

    @property
    def is_answerable(self) -> bool:
        """True if nothing but an answer is right."""
        return self.expected == (Outcome.ANSWERED,)

    @property
    def may_answer(self) -> bool:
        """True if an answer may be right."""
        return Outcome.ANSWERED in self.expected

    @property
    def is_answered(self) -> bool:
        """True if it was answered."""
        return self.outcome == Outcome.ANSWERED

    @property
    def was_asked(self) -> bool:
        """False if it failed, or could not be asked."""
        return self.outcome != Outcome.FAILED


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFile:
    """A run as it is kept."""

    header: RunHeader
    """What was run."""
    results: tuple[QuestionResult, ...]
    """In the order in which they were finished."""


Line = TypeVar("Line")
Header = TypeVar("Header", bound=Conditions)
Parsed = TypeVar("Parsed")
_HEADER, _RESULT = TypeAdapter(RunHeader), TypeAdapter(QuestionResult)


@dataclass(frozen=True, slots=True, kw_only=True)
class Lines(Generic[Header, Line]):
    """The lines of a file of a run."""

    header: Header
    """The first."""
    lines: tuple[Line, ...]
    """The others."""


def result_of(
    question: LabelledQuestion,
    run: Run,
    *,
    by_code: CodeGrade,
    by_model: Grade | NotGraded | None,
    quotes_stored: bool,
    grading: Sequence[ModelCall] = (),
) -> QuestionResult:
    """Return what became of a question.

    Args:
        question: What was asked.
        run: How it was answered.
        by_code: What comparing says.
        by_model: What a model says; None if it was not asked.
        quotes_stored: False if a quote is not the stored text, which passes nothing.
        grading: What a model was called for to grade it.
    """
    answer, calls = run.answer, run.model_calls
    paid = (*calls, *grading)
    passed, graded_by = by_code.passed, BY_CODE
    if isinstance(by_model, Grade) and by_code.is_told is False:
        passed, graded_by = _passes(by_code, by_model), BY_MODEL
    return QuestionResult(
        **_labels(question),
        outcome=answer.outcome.value,
        refusal=str(answer.refusal) if answer.refusal else None,
        passed=passed and quotes_stored,
        outcome_right=by_code.is_outcome_right,
        quoted=by_code.is_quoted,
        graded_by=graded_by,
        code_passed=by_code.passed,
        model_grade=by_model if isinstance(by_model, Grade) else None,
        not_graded=by_model.reason if isinstance(by_model, NotGraded) else None,
        is_closest=answer.is_closest,
        citations=by_code.citations,
        quotes_stored=quotes_stored,
        features=dict(answer.confidence.features),
        reported=answer.confidence.reported,
        calibrated=answer.confidence.calibrated,
        badge=answer.confidence.badge.value if answer.confidence.badge else None,
        retrieval_used=run.used_rag,
        reasoner=run.reasoner,
        model_calls=len(calls),
        round_trips=round_trips(calls),
        tokens=total_tokens(call.tokens for call in paid),
        cost_usd=total_cost(call.cost_usd for call in paid),
        ms=run.total_time_ms,
        quotes=tuple(citation.quote for citation in answer.citations),
        text=answer.text,
    )


def not_asked(question: LabelledQuestion, *, reason: str) -> QuestionResult:
    """Return a question that could not be asked."""
    return QuestionResult(**_labels(question), outcome=Outcome.FAILED.value, text=reason)


def round_trips(calls: Sequence[ModelCall]) -> int:
    """Return the waits for a model, one after the other: critic and judge are one."""
    purposes = [call.purpose for call in calls]
    return purposes.count("answer") + max(purposes.count("critique"), purposes.count("judge"))


def line_of(value: Any) -> str:
    """Return a header or a result as a line of a run's file."""
    return json.dumps(asdict(value), ensure_ascii=False)


def read_run(path: Path) -> RunFile:
    """Read the lines of a run, or a finished one as `WHOLE`.

    A last line that was not written whole is left out.

    Raises:
        UsageError: It can't be read, or a line is none of a run.
    """
    found = read_lines(path, _HEADER, _RESULT)
    return RunFile(
        header=found.header, results=tuple({one.id: one for one in found.lines}.values())
    )


def read_lines(
    path: Path, header: TypeAdapter[Header], line: TypeAdapter[Line], *, by: str = "run"
) -> Lines[Header, Line]:
    """Read a file that a command of `citebound eval` wrote; see `read_run`."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from error
    lines = _lines_of_whole(data) if path.suffix == WHOLE else data.split(b"\n")[:-1]
    if not lines:
        raise UsageError(f"{path} holds no run: name a file that `citebound eval {by}` wrote")
    return Lines(
        header=_parsed(header, lines[0], place=f"{path}:1"),
        lines=tuple(
            _parsed(line, data, place=f"{path}:{number}")
            for number, data in enumerate(lines[1:], start=2)
        ),
    )


def _lines_of_whole(data: bytes) -> list[bytes]:
    try:
        whole = json.loads(data)
        return [json.dumps(one).encode() for one in (whole["run"], *whole["questions"])]
    except (ValueError, TypeError, KeyError, RecursionError):
        return []


def _parsed(adapter: TypeAdapter[Parsed], line: bytes, *, place: str) -> Parsed:
    try:
        return adapter.validate_json(line)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(map(str, first["loc"]))
        cure = "name another file, or remove it to start anew"
        raise UsageError(f"{place}: no part of a run ({where} {first['msg']}): {cure}") from error


def _labels(question: LabelledQuestion) -> dict[str, Any]:
    same = ("id", "question", "document", "kind", "difficulty")
    labels = {name: getattr(question, name) for name in same}
    return {**labels, "expected": tuple(sorted(question.expected))}


def _passes(by_code: CodeGrade, by_model: Grade) -> bool:
    """Say whether an answer passes whose facts a model had to find."""
    is_rest_right = by_code.is_outcome_right and by_code.is_quoted is not False
    return is_rest_right and by_model is Grade.RIGHT
