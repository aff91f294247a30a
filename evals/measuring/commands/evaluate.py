"""`citebound eval`: measure answers on labelled questions about one's own documents."""

import asyncio
import dataclasses
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import asdict, dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from rich.text import Text

from bot.console.views.terminal import Terminal, open_terminal
from core.adapters.system import SystemClock
from core.config.settings import Settings
from core.domain.errors import ConfigError, UsageError
from core.models import SWITCHED_OFF
from evals.measuring import comparison
from evals.measuring.calibrations import chosen_calibrations
from evals.measuring.claude.grading import open_grader
from evals.measuring.comparison_view import comparison_json, comparison_rows
from evals.measuring.conditions import header_of
from evals.measuring.corpora import QuestionSource
from evals.measuring.figures_view import figures_rows, run_json
from evals.measuring.questions import (
    LabelledQuestion,
    read_question_set,
    spread,
    without_evidence,
)
from evals.measuring.report.report_page import report_page
from evals.measuring.results import BY_MODEL, WHOLE, QuestionResult, RunFile, read_run
from evals.measuring.run_files import LINES, OpenLines, check_out, open_run, write_text, write_whole
from evals.measuring.running import Asking, run_questions

EXTRACTIVE, CLAUDE = "extractive", "claude"
"""Who may be asked to reason."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOptions:
    """What `eval run` was given beside files."""

    rag: bool = True
    """False: graph only."""
    reasoner: str | None = None
    """`extractive` or `claude`; None: as the settings say."""
    ablate: bool = False
    """True: ask again without the sections that answer."""
    alone: bool = False
    """True: a database for each document."""
    grader: str = "code"
    """`code`, or `model` for a model beside it."""
    reader: bool = True
    """False: by words alone."""
    only: str = "*"
    """Documents with such a path only."""
    limit: int | None = None
    """So many questions from all over the set; None: all."""
    calibration: str | None = None
    """A fitted one, `shipped` or `active`; None: that in force where it is the deployment's corpus
    that is measured, else that of the release."""


def run(
    *,
    questions: Path,
    policies: Path | None,
    folder: Path | None,
    out: Path | None,
    verbose: bool,
    as_json: bool,
    **options: bool | int | str | None,
) -> int:
    """Ask a question set and print its figures; 1 if a question could not be asked."""
    terminal = open_terminal()
    found = measured(
        terminal,
        questions,
        folder=folder or policies,
        out=out,
        is_verbose=verbose,
        options=RunOptions(**options),  # pyright: ignore[reportArgumentType]  # as declared
    )
    if as_json:
        terminal.show_json(run_json(found))
    else:
        terminal.show(*figures_rows(found.results))
    return 0 if all(one.was_asked for one in found.results) else 1


def measured(
    terminal: Terminal,
    path: Path,
    *,
    folder: Path | None,
    out: Path | None,
    options: RunOptions,
    is_verbose: bool = False,
) -> RunFile:
    """Ask a question set, or what is left of it, and write the files of the run.

    Args:
        terminal: Where progress and remarks go.
        path: The question set.
        folder: The policies, or what the documents' paths start from; None: beside the set.
        out: The JSON of the finished run; None: in the home of evaluations.
        options: How to ask.
        is_verbose: True: each question is shown as it is finished.

    Raises:
        UsageError: The set has mistakes, or a file can't be read or written.
        ConfigError: Policies can't be ingested, or the database can't be started.
        OccupiedError: Another process writes the same files.
    """
    questions, settings = chosen_questions(terminal, path, options), settings_for(options)
    source = QuestionSource(
        name=path.stem,
        folder=_folder(path, folder, is_of_documents=questions[0].document is not None),
        is_alone=options.alone,
    )
    is_of_policies = questions[0].document is None
    chosen = asyncio.run(
        chosen_calibrations(
            settings, options.calibration, policies=source.folder if is_of_policies else None
        )
    )
    terminal.remark_unwrapped(f"Badges rest on {chosen.words}")
    header = header_of(
        questions,
        name=path.name,
        settings=settings,
        source=source,
        options={**asdict(options), "calibration": chosen.words},
    )
    asking = Asking(
        settings=settings,
        source=source,
        calibrations=chosen.calibrations,
        use_rag=options.rag,
        grader=None,
        is_verbose=is_verbose,
    )
    if header.unreviewed:
        terminal.remark_unwrapped(
            f"{header.unreviewed} of {len(questions)} questions were accepted by nobody: these are"
            " figures of drafts; officers accept them in the console under Questions"
        )
    written = out or settings.home.expanduser() / "eval" / "runs" / f"{path.stem}.json"
    check_out(written)
    with open_run(written.with_suffix(LINES), header) as kept:
        if kept.put_aside:
            terminal.remark_unwrapped(kept.put_aside)
        elif kept.kept:
            left = len(questions) - len(kept.kept)
            terminal.remark_unwrapped(f"{len(kept.kept)} were asked before, {left} are left")
        results = asyncio.run(_graded(terminal, questions, asking, kept, grader=options.grader))
    found = RunFile(header=header, results=tuple(results))
    write_whole(written.with_suffix(WHOLE), run_json(found))
    terminal.remark_unwrapped(f"The run is kept in {written.with_suffix(WHOLE)}")
    return found


async def _graded(
    terminal: Terminal,
    questions: Sequence[LabelledQuestion],
    asking: Asking,
    run: OpenLines[QuestionResult],
    *,
    grader: str,
) -> Sequence[QuestionResult]:
    """Ask what is left, graded by code and, if wanted, by a model beside it."""
    async with AsyncExitStack() as stack:
        if grader == BY_MODEL:
            access = dataclasses.replace(asking.settings, reasoner="auto")
            if not access.uses_model:
                raise ConfigError("--grader model needs access to Claude: set ANTHROPIC_API_KEY")
            terminal.remark_unwrapped(
                f"Answers are graded by {access.small_model} too, which has its price"
            )
            found = await stack.enter_async_context(open_grader(access, clock=SystemClock()))
            asking = dataclasses.replace(asking, grader=found)
        return await run_questions(terminal, questions, asking=asking, done=run.kept, keep=run.keep)


def compare(*, before: Path, after: Path, as_json: bool) -> int:
    """Put two runs side by side."""
    terminal = open_terminal()
    found = comparison.compare(read_run(before), read_run(after))
    if as_json:
        terminal.show_json(comparison_json(found))
    else:
        terminal.show(*comparison_rows(found))
    return 0


def report(*, run: Path, output: Path) -> int:
    """Write the page of a run."""
    write_text(output, report_page(read_run(run)))
    open_terminal().remark_unwrapped(f"The page is {output}")
    return 0


def chosen_questions(
    terminal: Terminal, path: Path, options: RunOptions
) -> Sequence[LabelledQuestion]:
    """Return the questions to ask; each line that is none is named.

    Raises:
        UsageError: There is such a line, or no question.
    """
    check_exists(path)
    found = read_question_set(path)
    for bad in found.bad_lines:
        terminal.remark_unwrapped(f"{path}:{bad.number}: {bad.reason}")
    if found.bad_lines:
        raise UsageError(f"{path}: {len(found.bad_lines)} mistakes: mend the lines named above")
    chosen = [one for one in found.questions if fnmatchcase(one.document or "", options.only)]
    if not chosen:
        raise UsageError(f"{path} has no questions to ask")
    asked = spread(chosen, options.limit)
    return [*asked, *without_evidence(asked)] if options.ablate else asked


def settings_for(options: RunOptions) -> Settings:
    """Return the settings with what the options say.

    Raises:
        ConfigError: Claude is wanted, and there is no access to it.
    """
    settings = Settings.from_environment()
    if not options.reader:
        settings = dataclasses.replace(settings, reader_model=SWITCHED_OFF)
    if options.reasoner is None:
        return settings
    wanted = EXTRACTIVE if options.reasoner == EXTRACTIVE else "auto"
    chosen = dataclasses.replace(settings, reasoner=wanted)
    if options.reasoner == CLAUDE and not chosen.uses_model:
        raise ConfigError("--reasoner claude needs access to it: set ANTHROPIC_API_KEY")
    return chosen


def print_figures(
    terminal: Terminal, lines: Sequence[str], value: Mapping[str, object], *, as_json: bool
) -> None:
    """Print what was measured."""
    if as_json:
        terminal.show_json(value)
    else:
        terminal.show(*(Text(line) for line in lines))


def policies_beside(questions: Path, given: Path | None) -> Path:
    """Return the folder given, or the one beside the questions' folder.

    Raises:
        UsageError: It does not exist.
    """
    return _folder(questions, given, is_of_documents=False)


def _folder(questions: Path, given: Path | None, is_of_documents: bool) -> Path:
    above = questions.resolve().parent.parent
    folder = given or (above if is_of_documents else above / "policies")
    check_exists(folder)
    return folder


def check_exists(path: Path) -> None:
    """Refuse a path that leads nowhere.

    Raises:
        UsageError: It does.
    """
    if not path.exists():
        raise UsageError(f"there is no file or folder {str(path)!r}")
