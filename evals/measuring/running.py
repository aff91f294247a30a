"""Ask and grade the questions of a set, one after the other."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass

from rich.text import Text

from bot.console.views.terminal import Row, Terminal, one_line
from core.confidence.calibration import Calibrations
from core.config.settings import Settings
from core.domain.answer import Outcome
from evals.measuring.claude.grading import ClaudeGrader
from evals.measuring.corpora import OpenCorpus, QuestionSource, open_corpora
from evals.measuring.grading import grade_by_code
from evals.measuring.questions import LabelledQuestion
from evals.measuring.results import QuestionResult, not_asked, result_of

_ID_LENGTH = 40
"""Characters of a question's id in a line."""
_QUESTION_LENGTH = 100
"""Characters of a question in a line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """How a set is asked."""

    settings: Settings
    """How to answer; of the database only the home counts."""
    source: QuestionSource
    """What is asked."""
    calibrations: Calibrations
    """What badges rest on."""
    use_rag: bool
    """False: graph only."""
    grader: ClaudeGrader | None
    """Grades beside the code; None: nothing does."""
    is_verbose: bool
    """True: each question is shown as it is finished."""


async def run_questions(
    terminal: Terminal,
    questions: Sequence[LabelledQuestion],
    *,
    asking: Asking,
    done: Sequence[QuestionResult],
    keep: Callable[[QuestionResult], None],
) -> list[QuestionResult]:
    """Ask what was not asked yet; return all results, in the order of the questions."""
    results = {one.id: one for one in done}
    left = [question for question in questions if question.id not in results]
    corpora = open_corpora(
        terminal,
        left,
        settings=asking.settings,
        source=asking.source,
        calibrations=asking.calibrations,
    )
    async with aclosing(corpora):
        async for corpus in corpora:
            bar = terminal.progress("Asking", total=len(questions), done=len(results))
            with bar as advance:
                for question in corpus.questions:
                    result = await _asked(corpus, question, asking)
                    await asyncio.to_thread(keep, result)
                    results[question.id] = result
                    if asking.is_verbose:
                        terminal.remark(shown(result))
                    advance()
    return [results[question.id] for question in questions]


async def _asked(corpus: OpenCorpus, question: LabelledQuestion, asking: Asking) -> QuestionResult:
    reason = corpus.failures.get(question.document or "")
    if reason is not None:
        return not_asked(question, reason=reason)
    run = await corpus.answer(question, use_rag=asking.use_rag)
    is_graded = run.answer.outcome is Outcome.ANSWERED and question.is_comparable
    grader = asking.grader if is_graded else None
    return result_of(
        question,
        run,
        by_code=grade_by_code(question, run.answer),
        by_model=await grader.grade(question, run.answer) if grader else None,
        quotes_stored=await corpus.has_stored_quotes(run),
        grading=grader.take_calls() if grader else (),
    )


def shown(result: QuestionResult) -> Row:
    """Return a line about a question: whether it passed, how it ended, whether chunks were used."""
    mark = "[RAG]" if result.retrieval_used else "     "
    words = "passed" if result.passed else "not passed"
    name = one_line(result.id, limit=_ID_LENGTH)
    asked = one_line(result.question, limit=_QUESTION_LENGTH)
    head = Text(f"{mark} {words:<10}  {result.outcome:<13} ")
    return Row(heads=(head,), lines=(Text(f"{name}  {asked}"),))
