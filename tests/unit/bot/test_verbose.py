"""How an answer came about: what `--verbose` must show, and what foreign text must not do to it."""

import io
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console, RenderableType

from bot.console.ingest.ingest_files import Failed, FileResult, counts_of, file_row, summary_line
from bot.console.views.verbose import run_view
from core.domain.answer import (
    Answer,
    Badge,
    Check,
    Confidence,
    Critique,
    Decision,
    Judgement,
    NotJudged,
    Outcome,
    Verdict,
)
from core.domain.conversation import Place
from core.domain.evidence import Evidence
from core.domain.policy import PolicyMetadata
from core.domain.question import Question, Scope
from core.domain.run import (
    Attempt,
    BudgetUse,
    Clarification,
    Exploration,
    GateDecision,
    ModelCall,
    Plan,
    Run,
    Step,
    TokenUse,
    ToolCall,
)
from core.ingest.publish import Ingested
from core.language.spans import VersionId
from core.ports import Published, Unchanged

HOSTILE = st.text(max_size=40) | st.sampled_from(
    ["\x1b[2J", "[/bold]", "a\nb", "\x9b31m", "x" * 900]
)


def printed(*renderables: RenderableType, is_terminal: bool = False) -> str:
    file = io.StringIO()
    console = Console(file=file, width=80, force_terminal=is_terminal, no_color=True)
    for renderable in renderables:
        console.print(renderable, crop=False)
    return file.getvalue()


def run_with(
    *,
    words: str = "words",
    plan: Plan | Clarification | None = None,
    gate_score: float | None = 0.4,
) -> Run:
    question = Question(
        question_id="q",
        conversation_id="c",
        place=Place(thread="t"),
        asker="a",
        text=words,
        standalone=f"{words} in full",
        scope=Scope(as_of=date(2026, 1, 31), tags=frozenset({"gifts"})),
        asked_at=datetime(2026, 1, 31, tzinfo=UTC),
    )
    call = ToolCall(tool="search_entities", arguments={"query": words}, evidence=2)
    broken = ToolCall(tool="get_entity", arguments={"id": words}, evidence=0, error=words)
    verdicts = (
        Verdict(claim=0, check=Check.QUOTE, passed=True),
        Verdict(claim=1, check=Check.NUMBERS, passed=False, reason=words),
    )
    judged = Judgement(
        faithfulness=1.0, relevance=0.5, completeness=0.25, approved=True, decision=Decision.FINAL
    )
    return Run(
        question=question,
        answer=Answer(
            outcome=Outcome.ANSWERED,
            text=words,
            confidence=Confidence(
                reported=0.4,
                calibrated=0.7,
                badge=Badge.MEDIUM,
                is_calibrated=False,
                features=(("coverage", 0.5),),
            ),
        ),
        edition=3,
        reasoner="extractive/1",
        plan=plan or Plan(intent="threshold", tools=("search_entities",), subjects=(words,)),
        exploration=Exploration(
            findings=(), reported_confidence=gate_score, reasoning=words, calls=(call, broken)
        ),
        gate=GateDecision(score=gate_score, threshold=0.85, retrieve=True, reason=words),
        evidence=Evidence(items=()),
        used_rag=True,
        chunks_used=("gifts_chunk_0001",),
        entities=(),
        attempts=(
            Attempt(
                decision=Decision.RETRY,
                reason=words,
                verdicts=verdicts,
                critique=Critique(refine=True, issues=(words,)),
                judgement=NotJudged(reason=words),
            ),
            Attempt(decision=Decision.FINAL, reason="", verdicts=(), judgement=judged),
        ),
        budget=BudgetUse(steps=1, tool_calls=2, retrieval_rounds=1),
        steps=(
            Step(stage="plan", detail={}, took_ms=1, ended_s=0),
            Step(stage="explore", detail={}, took_ms=1, ended_s=0),
            Step(stage="gate", detail={}, took_ms=1, ended_s=0),
            Step(
                stage="retrieve",
                detail={
                    "searched": 9,
                    "chunks": [
                        {"chunk_id": words, "score": 0.5, "relevance": 0.25, "neighbour": True}
                    ],
                },
                took_ms=2.5,
                ended_s=0,
            ),
            Step(stage="decide", detail={}, took_ms=1, ended_s=0),
            Step(stage="decide", detail={}, took_ms=1, ended_s=0),
        ),
        retrieval_time_ms=2.5,
        generation_time_ms=0.0,
        total_time_ms=7.5,
        warnings=(words,),
    )


def test_each_stage_is_shown_with_its_numbers() -> None:
    """Tools, gate, chunks with scores, verdicts, decisions and times are there, in order."""
    output = printed(*run_view(run_with()))
    parts = (
        "words in full",
        "as of 2026-01-31, edition 3, groups everyone, all jurisdictions, tags gifts",
        "threshold, about words, with search_entities",
        'search_entities {"query": "words"} → 2 spans',
        'get_entity {"id": "words"} → error: words',
        "score 0.40, threshold 0.85: retrieval triggered; words",
        "1 chunk of 9 searched, 2.5 ms",
        "words: score 0.50, relevance 0.25, by a cross-reference",
        "attempt 1: 1 checks passed, 1 failed",
        "claim 2, numbers: words",
        "words, asks for a refinement",
        "not judged: words",
        "attempt 1: RETRY: words",
        "faithfulness 1.00, relevance 0.50, completeness 0.25: FINAL",
        "0.70, badge medium (coverage 0.50)",
        "1 step, 2 tool calls, 1 retrieval round, 0 model calls",
        "7.5 ms: plan 1.0",
        "answered, by extractive/1",
    )
    found = [output.find(part) for part in parts]
    assert -1 not in found, parts[found.index(-1)]
    assert found == sorted(found)


def test_each_call_of_a_model_is_shown_with_its_cost() -> None:
    """Tokens, cache, price, time, and whether it was paid for at all; then the sum."""
    paid = ModelCall(
        purpose="answer",
        model="claude-x",
        prompt="answer/1",
        request_hash="00",
        tokens=TokenUse(fresh=100, cache_read=2_000, cache_write=30, output=40),
        cost_usd=0.0123,
        attempts=2,
        started_s=1.0,
        ended_s=2.5,
    )
    kept = replace(paid, purpose="judge", attempts=0, cost_usd=0.0)
    failed = replace(paid, purpose="critique", cost_usd=None, error="no time left")
    output = printed(*run_view(replace(run_with(), model_calls=(paid, kept, failed))))
    assert (
        "answer by claude-x (answer/1): 2130 tokens read (2000 from the cache, 30 into it), 40"
        " written, USD 0.0123, 1500 ms, 2 requests"
    ) in output
    assert "judge by claude-x" in output
    assert "USD 0.0000, 1500 ms, from the record" in output
    assert "price not known, 1500 ms, 2 requests; failed: no time left" in output
    assert "0 model calls; more than USD 0.0123" in output
    unsent = replace(failed, attempts=0, cost_usd=0.0, error="cancelled")
    output = printed(*run_view(replace(run_with(), model_calls=(kept, failed, unsent))))
    assert "USD 0.0000, 1500 ms, not sent; failed: cancelled" in output
    assert "0 model calls; price not known" in output


def test_a_missing_score_is_said() -> None:
    """No reported confidence is not zero."""
    assert "score none reported" in printed(*run_view(run_with(gate_score=None)))


def test_a_clarification_names_the_missing_fact() -> None:
    """A plan that asks back says for what."""
    plan = Clarification(intent="threshold", question="Where?", slot="jurisdiction")
    assert "threshold: ask for jurisdiction" in printed(*run_view(run_with(plan=plan)))


@given(HOSTILE, st.booleans())
def test_foreign_text_in_a_run_is_harmless(words: str, is_terminal: bool) -> None:
    """Nothing raises, and no control character of the data is printed."""
    output = printed(*run_view(run_with(words=words)), is_terminal=is_terminal)
    assert "\x9b" not in output
    assert "\x1b[2J" not in output


def test_piped_rows_are_one_line_each() -> None:
    """A fact can be found with grep."""
    view = list(run_view(run_with(words="long " * 40)))
    assert len(printed(*view).splitlines()) == len(view)


def _ingested(result: Published | Unchanged, *, title: str = "Gifts Policy") -> FileResult:
    done = Ingested(
        source_name="gifts.md",
        metadata=PolicyMetadata(key="gifts", title=title, label="2.0"),
        result=result,
        sections=4,
        notes=("removed 2 invisible characters",),
    )
    return FileResult(path=Path("policies/gifts.md"), result=done)


PUBLISHED = Published(
    version_id=VersionId(1),
    edition=1,
    is_first=True,
    chunks=5,
    chunks_embedded=3,
    entities=6,
    relations=7,
)


def test_a_file_has_its_line() -> None:
    """What became of it, the counts and the notes."""
    assert printed(file_row(_ingested(PUBLISHED))) == (
        "added     gifts.md: Gifts Policy 2.0;"
        " 4 sections, 5 chunks (3 embedded), 6 entities, 7 relations;"
        " note: removed 2 invisible characters\n"
    )


def test_a_failed_file_has_cause_and_cure() -> None:
    """The reason stands behind the name."""
    row = file_row(FileResult(path=Path("x/a.pdf"), result=Failed(reason="empty: export it")))
    assert printed(row) == "failed    a.pdf: empty: export it\n"


def test_files_are_counted_by_what_became_of_them() -> None:
    """The summary adds up."""
    results = [
        _ingested(PUBLISHED),
        _ingested(Unchanged(version_id=VersionId(1))),
        FileResult(path=Path("a.pdf"), result=Failed(reason="x")),
    ]
    assert counts_of(results) == {"added": 1, "revised": 0, "unchanged": 1, "failed": 1}
    assert summary_line(results).plain == "1 added, 0 revised, 1 unchanged, 1 failed"


@given(HOSTILE, st.booleans())
def test_a_hostile_title_is_harmless(title: str, is_terminal: bool) -> None:
    """Titles come from files; they add neither lines nor commands."""
    output = printed(file_row(_ingested(PUBLISHED, title=title)), is_terminal=is_terminal)
    assert "\x9b" not in output
    assert "\x1b[2J" not in output
