"""Have a language model write test questions, section by section, and keep what code finds true.

Each section is paid for once: what was read is stored with the drafts, in one transaction, so that
whoever is interrupted goes on behind it.
"""

import hashlib
import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from bot.console.ingest.extraction_progress import usd
from bot.console.views.terminal import Terminal
from core.adapters.postgres.record.question_drafts import PostgresQuestionDrafts
from core.domain.question import Scope
from core.domain.question_draft import AskedSection, QuestionDraft
from evals.measuring.drafting.by_model import (
    KINDS,
    NotWritten,
    QuestionWriter,
    Written,
    checked,
    parts_of,
)

_FAILURES = 3
"""Sections in a row that a model can't be asked about, after which it is left."""
_A_SECTION = 2
"""Questions that a section gives, roughly."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Writing:
    """What is wanted of a model."""

    kinds: frozenset[str]
    """Kinds of question; empty: all that a model proposes."""
    policies: frozenset[str]
    """Keys of policies; empty: all."""
    limit: int
    """So many questions at most."""
    seed: int
    """Decides which sections come first."""
    budget_usd: float | None
    """What it may cost at most; None: as much as it takes."""
    dry_run: bool
    """True: only say what it would cost."""


@dataclass(slots=True, kw_only=True)
class _Tally:
    """What came of it so far."""

    added: int = 0
    sections: int = 0
    costs: list[float | None] = field(default_factory=list[float | None])
    dropped: Counter[str] = field(default_factory=Counter[str])
    failures: int = 0
    last_failure: str = ""

    @property
    def cost_usd(self) -> float | None:
        """What it cost; None if a price is not known."""
        known = [one for one in self.costs if one is not None]
        return math.fsum(known) if len(known) == len(self.costs) else None


async def write_questions(
    terminal: Terminal,
    store: PostgresQuestionDrafts,
    scope: Scope,
    writer: QuestionWriter,
    writing: Writing,
) -> int:
    """Ask about sections until there are questions enough; return how many are new."""
    parts = await _unread(store, scope, writer, writing)
    planned = parts[: math.ceil(writing.limit / _A_SECTION)]
    if not planned:
        terminal.remark_unwrapped(
            f"{writer.name} has read every section that there is; nothing to pay for"
        )
        return 0
    estimate = [writer.price(writer.estimate(one)) for one in planned]
    known = None if None in estimate else math.fsum(one or 0.0 for one in estimate)
    limit = "" if writing.budget_usd is None else f"; at most {usd(writing.budget_usd)}"
    terminal.remark_unwrapped(
        f"{writer.name} reads about {len(planned)} sections: {usd(known, about=True)}{limit}"
    )
    if writing.dry_run:
        return 0
    tally = await _written(terminal, store, parts, writer, writing)
    for line in _told(tally):
        terminal.remark_unwrapped(line)
    return tally.added


async def _unread(
    store: PostgresQuestionDrafts, scope: Scope, writer: QuestionWriter, writing: Writing
) -> list[AskedSection]:
    """Return the parts of sections that the model has not read, in an order by the seed."""
    parts = [
        part
        for section in await store.sections(scope)
        if not writing.policies or section.policy in writing.policies
        for part in parts_of(section)
    ]
    mark = str(writing.seed).encode()
    parts.sort(key=lambda one: hashlib.sha256(mark + one.sha256).digest())
    return [one for one in parts if not await store.was_read(one.sha256, writer.name)]


async def _written(
    terminal: Terminal,
    store: PostgresQuestionDrafts,
    parts: Sequence[AskedSection],
    writer: QuestionWriter,
    writing: Writing,
) -> _Tally:
    tally = _Tally()
    with terminal.progress("Writing questions", total=writing.limit, done=0) as advance:
        for part in parts:
            if tally.added >= writing.limit or _is_spent(tally, part, writer, writing):
                break
            written = await writer.write(part)
            tally.costs.append(written.cost_usd)
            if isinstance(written, NotWritten):
                tally.failures = tally.failures + 1 if written.is_down else 0
                tally.last_failure = written.reason
                if tally.failures >= _FAILURES:
                    break
                continue
            tally.failures, tally.sections = 0, tally.sections + 1
            drafts = _kept(written, part, writer, writing, tally)[: writing.limit - tally.added]
            added = await store.add(drafts, read=(part.sha256, writer.name))
            tally.added += len(added)
            for _ in added:
                advance()
    return tally


def _is_spent(tally: _Tally, part: AskedSection, writer: QuestionWriter, writing: Writing) -> bool:
    """Say whether one more section may go beyond the budget; what has no price is not bought."""
    if writing.budget_usd is None:
        return False
    spent, more = tally.cost_usd, writer.price(writer.estimate(part))
    if spent is None or more is None or spent + more > writing.budget_usd:
        tally.last_failure = "the budget is spent, or a price is not known (CITEBOUND_PRICES)"
        return True
    return False


def _kept(
    written: Written,
    part: AskedSection,
    writer: QuestionWriter,
    writing: Writing,
    tally: _Tally,
) -> list[QuestionDraft]:
    wanted = writing.kinds or frozenset(KINDS)
    found: list[QuestionDraft] = []
    for proposed in written.proposals:
        draft = checked(proposed, part, made_by=writer.name)
        if isinstance(draft, str):
            tally.dropped[draft] += 1
        elif draft.kind in wanted:
            found.append(draft)
    return found


def _told(tally: _Tally) -> Iterable[str]:
    yield f"{tally.sections} sections were read: {usd(tally.cost_usd)}"
    if tally.dropped:
        reasons = ", ".join(f"{count} {why}" for why, count in tally.dropped.most_common())
        yield f"{tally.dropped.total()} proposals were dropped: {reasons}"
    if tally.last_failure:
        yield f"Not all was read: {tally.last_failure}; the same command goes on"
