"""`citebound eval shadow`: what past questions would be answered, before something is switched.

Read as an officer -> answered by what can record nothing -> compared -> a line each -> one record.
"""

import asyncio
import dataclasses
import getpass
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import KW_ONLY, dataclass
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path
from typing import Any

from bot.console.open_service import open_service
from bot.console.views.terminal import Terminal, open_terminal
from core.adapters.postgres.access import open_engine
from core.adapters.postgres.engine.ledger import Ledger
from core.adapters.postgres.engine.roles import DatabaseRole
from core.adapters.postgres.record.recorded_questions import PostgresRecordedQuestions
from core.agent.prompts.choice import VARIABLE, labels_of
from core.agent.request import ShippedCalibrations
from core.bootstrap import Service
from core.confidence.calibration import Calibrations
from core.config.settings import Settings
from core.domain.errors import ConfigError, EmptyCorpusError, UsageError
from core.models import prompts_of
from evals.measuring.calibrations import named_calibrations
from evals.measuring.conditions import conditions_of
from evals.measuring.corpora import folder_sha256
from evals.measuring.results import WHOLE
from evals.measuring.run_files import LINES, OpenLines, check_folder, write_whole
from evals.measuring.shadow.comparing import Compared, ShadowCandidate, compare, sample
from evals.measuring.shadow.file import (
    ShadowHeader,
    open_shadow,
    shadow_json,
)
from evals.measuring.shadow.scratch import remove_leftover, scratch_corpus
from evals.measuring.shadow.view import figures_of, shadow_rows

EXIT_OTHERWISE, EXIT_BUDGET = 12, 13
PURPOSE = "eval shadow"
AT_ONCE = 20
"""Questions that are read at once, which is recorded before they are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShadowOptions:
    """What `eval shadow` was told: which questions, what is new, and how far to go."""

    since: date
    until: date | None
    sample: int | None
    """None: all."""
    seed: int
    budget: float | None
    """USD; None: nothing may cost anything."""
    corpus: Path | None
    """Policies; None: those of the deployment."""
    as_of: date | None
    """The day whose rules count; None: today."""
    reasoner: str | None
    """`extractive` or `claude`; None: as the settings say."""
    model: str | None
    """None: as the settings say."""
    prompts: str | None
    """See `core.agent.prompts.choice`; None: as the settings say."""
    calibration: str | None
    """Its name; None: that in force."""

    @property
    def new(self) -> dict[str, str]:
        """What is new, by name; empty if past questions are merely answered as of today."""
        given = {name: getattr(self, name) for name in _NEW}
        return {name: str(value) for name, value in given.items() if value is not None}


_NEW = ("corpus", "as_of", "reasoner", "model", "prompts", "calibration")


def shadow(*, allow: int, out: Path | None, as_json: bool, **given: Any) -> int:
    """Compare past questions; 12 if too many would be answered otherwise, 13 without budget."""
    terminal = open_terminal()
    options, settings = ShadowOptions(**given), Settings.from_environment()
    changed = _changed(settings, options)
    asked = next((one.model for one in (changed, settings) if one.uses_model), None)
    if asked is not None and options.budget is None:
        raise UsageError(
            f"questions are put to {asked}, which has its price: say with --budget what"
            " all of them may cost, or --reasoner extractive asks the rules alone"
        )
    written = out or settings.home.expanduser() / "eval" / "runs" / f"shadow-{options.since}{WHOLE}"
    check_folder(written)
    run = asyncio.run(_Run(terminal, settings, changed, options=options, out=written).run())
    if as_json:
        terminal.show_json(shadow_json(run.header, run.figures, run.compared))
    else:
        terminal.show(*shadow_rows(run.compared, run.figures))
    if run.is_spent:
        terminal.remark_unwrapped(
            f"The budget of USD {options.budget:.2f} is spent: repeat the command with a higher"
            " --budget to go on"
        )
        return EXIT_BUDGET
    contradicts = any(one.counts and one.contradiction for one in run.compared)
    otherwise = sum(one.counts for one in run.compared)
    return EXIT_OTHERWISE if contradicts or otherwise > allow else 0


@dataclass(frozen=True, slots=True, kw_only=True)
class _Done:
    """A run, over or out of budget."""

    header: ShadowHeader
    compared: Sequence[Compared]
    figures: Mapping[str, object]
    is_spent: bool


@dataclass(frozen=True, slots=True)
class _Run:
    """One shadow run."""

    terminal: Terminal
    settings: Settings
    changed: Settings
    _: KW_ONLY
    options: ShadowOptions
    out: Path

    async def run(self) -> _Done:
        """Compare what was not compared yet, and record that it was."""
        if await remove_leftover(self.settings):
            self.terminal.remark_unwrapped("A corpus that an earlier run left behind was removed")
        async with AsyncExitStack() as stack:
            today = await stack.enter_async_context(
                open_service(Service, self.terminal, self.settings, keeps_calls=False)
            )
            edition = await today.corpus.current_edition()
            if edition is None:
                raise EmptyCorpusError
            officer = getpass.getuser()
            ledger = Ledger(clock=today.clock, ids=today.ids, unit=self.settings.unit)
            console = open_engine(
                self.settings, DatabaseRole.CONSOLE, officer=officer, ledger=ledger
            )
            engine = await stack.enter_async_context(console)
            record = PostgresRecordedQuestions(engine, ledger=ledger, officer=officer)
            name = self.options.calibration
            calibrations = await named_calibrations(today, name) if name else None
            header = await self._header(edition)
            file = stack.enter_context(open_shadow(self.out.with_suffix(LINES), header))
            wanted = await self._wanted(record, today.clock.now())
            self._say_what_is_kept(file, wanted)
            candidate = await stack.enter_async_context(self._candidate(today, calibrations))
            found, is_spent = await self._compared(record, candidate, file, wanted)
            figures = figures_of(found)
            says = {
                "since": header.since,
                "until": header.until,
                "new": dict(header.new),
                "edition": edition,
                "questions": len(wanted),
                "is_whole": not is_spent,
                **{name: figures[name] for name in ("changes", "otherwise", "left_out")},
            }
            await record.note_shadow(says)
        if not is_spent:
            whole = self.out.with_suffix(WHOLE)
            write_whole(whole, shadow_json(header, figures, found), is_private=True)
            self.terminal.remark_unwrapped(f"The run is kept in {whole}")
        return _Done(header=header, compared=found, figures=figures, is_spent=is_spent)

    async def _wanted(self, record: PostgresRecordedQuestions, now: datetime) -> tuple[str, ...]:
        since, until = _midnight(self.options.since), now
        if self.options.until is not None:
            until = min(now, _midnight(self.options.until) + timedelta(days=1))
        asked = await record.asked_between(since, until, purpose=PURPOSE)
        return sample(asked, self.options.sample, seed=self.options.seed)

    def _say_what_is_kept(self, file: OpenLines[Compared], wanted: Sequence[str]) -> None:
        if file.put_aside:
            self.terminal.remark_unwrapped(file.put_aside)
        kept = len({one.record_id for one in file.kept}.intersection(wanted))
        if kept:
            left = len(wanted) - kept
            self.terminal.remark_unwrapped(f"{kept} were compared before, {left} are left")

    async def _compared(
        self,
        record: PostgresRecordedQuestions,
        candidate: ShadowCandidate,
        file: OpenLines[Compared],
        wanted: Sequence[str],
    ) -> tuple[list[Compared], bool]:
        """Compare what is left; True if the budget ended it."""
        kept = {one.record_id: one for one in file.kept}
        found = {record: kept[record] for record in wanted if record in kept}
        left = [one for one in wanted if one not in found]
        budget, spent = self.options.budget, sum(map(_cost, found.values()))
        bar = self.terminal.progress("Comparing", total=len(wanted), done=len(found))
        with bar as advance:
            for start in range(0, len(left), AT_ONCE):
                batch = await record.several(left[start : start + AT_ONCE], purpose=PURPOSE)
                for question in batch:
                    if budget is not None and spent >= budget:
                        return [found[one] for one in wanted if one in found], True
                    one = await compare(question, candidate)
                    await asyncio.to_thread(file.keep, one)
                    found[question.record_id] = one
                    spent += _cost(one)
                    advance()
        return [found[one] for one in wanted if one in found], False

    @asynccontextmanager
    async def _candidate(
        self, today: Service, calibrations: Calibrations | None
    ) -> AsyncGenerator[ShadowCandidate]:
        """Lend what is to come; nothing of it can record an answer."""
        source = None if calibrations is None else ShippedCalibrations(calibrations)
        async with AsyncExitStack() as stack:
            new = today
            if self.options.corpus is not None:
                folder = self.options.corpus
                scratch = scratch_corpus(self.terminal, self.changed, folder, deployed=today)
                new = await stack.enter_async_context(scratch)
                source = source or ShippedCalibrations(await today.calibrations.active())
            elif self.changed != self.settings:
                new = await stack.enter_async_context(
                    open_service(Service, self.terminal, self.changed, keeps_calls=False)
                )
            answering = await stack.enter_async_context(new.comparing(source))
            before = await stack.enter_async_context(today.comparing())
            yield ShadowCandidate(
                answering=answering,
                today=before if self.options.new else None,
                has_own_corpus=self.options.corpus is not None,
                on_day=self.options.as_of or today.clock.today(),
            )

    async def _header(self, edition: int) -> ShadowHeader:
        options, new = self.options, self.options.new
        if options.corpus is not None:
            new["corpus"] = await asyncio.to_thread(folder_sha256, options.corpus)
        if options.prompts is not None:
            new["prompts"] = await asyncio.to_thread(_labels, self.changed)
        return ShadowHeader(
            since=options.since.isoformat(),
            until=options.until.isoformat() if options.until else "",
            new=new,
            edition=edition,
            sampled=options.sample,
            seed=options.seed,
            **await conditions_of(self.changed),
        )


def _changed(settings: Settings, new: ShadowOptions) -> Settings:
    """Return the settings with what is new.

    Raises:
        ConfigError: Claude is wanted, and there is no access to it.
        UsageError: There are no such prompts.
    """
    changed = settings
    if new.model is not None:
        changed = dataclasses.replace(changed, model=new.model)
    if new.prompts is not None:
        changed = dataclasses.replace(changed, prompts=new.prompts)
        try:
            prompts_of(changed)
        except ConfigError as error:
            raise UsageError(str(error).replace(VARIABLE, "--prompts")) from error
    if new.reasoner is not None:
        wanted = "extractive" if new.reasoner == "extractive" else "auto"
        changed = dataclasses.replace(changed, reasoner=wanted)
    is_wanted = new.reasoner == "claude" or new.model is not None or new.prompts is not None
    if is_wanted and not changed.uses_model:
        raise ConfigError(
            "a language model is to be tried, and there is no access to it: set ANTHROPIC_API_KEY"
        )
    return changed


def _labels(settings: Settings) -> str:
    """Return by what prompts are told apart: a file may have other words when a run goes on."""
    return ", ".join(labels_of(prompts_of(settings))) or "those of the release"


def _cost(one: Compared) -> float:
    """Return what a question cost.

    Raises:
        ConfigError: Nobody knows, so that no budget can be kept.
    """
    if one.cost_usd is None:
        raise ConfigError("a budget needs the price of each model: set it in CITEBOUND_PRICES")
    return one.cost_usd


def _midnight(on_day: date) -> datetime:
    return datetime.combine(on_day, time(), tzinfo=UTC)
