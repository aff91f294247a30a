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
from core.domain.run import total_cost
from evals.measuring.claude.question_writer import ClaudeQuestionWriter
from evals.measuring.drafting.by_model import NotWritten, Written, checked, parts_of
from evals.measuring.drafting.by_rules import Wanted

_FAILURES = 3
"""Sections in a row that a model can't be asked about, after which it is left."""
_A_SECTION = 2
"""Questions that a section gives, roughly."""


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
        return total_cost(self.costs)


async def write_questions(
    terminal: Terminal,
    store: PostgresQuestionDrafts,
    scope: Scope,
    writer: ClaudeQuestionWriter,
    wanted: Wanted,
) -> int:
    """Ask about sections until there are questions enough; return how many are new."""
    parts = await _unread(store, scope, writer, wanted)
    planned = parts[: math.ceil(wanted.limit / _A_SECTION)]
    if not planned:
        terminal.remark_unwrapped(
            f"{writer.name} has read every section that there is; nothing to pay for"
        )
        return 0
    known = total_cost(writer.price(writer.estimate(part)) for part in planned)
    limit = "" if wanted.budget_usd is None else f"; at most {usd(wanted.budget_usd)}"
    terminal.remark_unwrapped(
        f"{writer.name} reads about {len(planned)} sections: {usd(known, about=True)}{limit}"
    )
    if wanted.dry_run:
        return 0
    tally = await _written(terminal, store, parts, writer, wanted)
    for line in _told(tally):
        terminal.remark_unwrapped(line)
    return tally.added


async def _unread(
    store: PostgresQuestionDrafts, scope: Scope, writer: ClaudeQuestionWriter, wanted: Wanted
) -> list[AskedSection]:
    """Return the parts of sections that the model has not read, in an order by the seed."""
    parts = [
        part
        for section in await store.sections(scope)
        if not wanted.policies or section.policy in wanted.policies
        for part in parts_of(section)
    ]
    mark = str(wanted.seed).encode()
    parts.sort(key=lambda one: hashlib.sha256(mark + one.sha256).digest())
    return [one for one in parts if not await store.was_read(one.sha256, writer.name)]


async def _written(
    terminal: Terminal,
    store: PostgresQuestionDrafts,
    parts: Sequence[AskedSection],
    writer: ClaudeQuestionWriter,
    wanted: Wanted,
) -> _Tally:
    tally = _Tally()
    with terminal.progress("Writing questions", total=wanted.limit, done=0) as advance:
        for part in parts:
            if tally.added >= wanted.limit or _is_spent(tally, part, writer, wanted):
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
            drafts = _kept(written, part, writer, wanted, tally)[: wanted.limit - tally.added]
            added = await store.add(drafts, read=(part.sha256, writer.name))
            tally.added += len(added)
            for _ in added:
                advance()
    return tally


def _is_spent(
    tally: _Tally, part: AskedSection, writer: ClaudeQuestionWriter, wanted: Wanted
) -> bool:
    """Say whether one more section may go beyond the budget; what has no price is not bought."""
    if wanted.budget_usd is None:
        return False
    spent, more = tally.cost_usd, writer.price(writer.estimate(part))
    if spent is None or more is None or spent + more > wanted.budget_usd:
        tally.last_failure = "the budget is spent, or a price is not known (CITEBOUND_PRICES)"
        return True
    return False


def _kept(
    written: Written,
    part: AskedSection,
    writer: ClaudeQuestionWriter,
    wanted: Wanted,
    tally: _Tally,
) -> list[QuestionDraft]:
    found: list[QuestionDraft] = []
    for proposed in written.proposals:
        draft = checked(proposed, part, made_by=writer.name)
        if isinstance(draft, str):
            tally.dropped[draft] += 1
        elif draft.kind in wanted.kinds:
            found.append(draft)
    return found


def _told(tally: _Tally) -> Iterable[str]:
    yield f"{tally.sections} sections were read: {usd(tally.cost_usd)}"
    if tally.dropped:
        reasons = ", ".join(f"{count} {why}" for why, count in tally.dropped.most_common())
        yield f"{tally.dropped.total()} proposals were dropped: {reasons}"
    if tally.last_failure:
        yield f"Not all was read: {tally.last_failure}; the same command goes on"
