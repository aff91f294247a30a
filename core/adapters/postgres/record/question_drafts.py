"""Drafted test questions in Postgres, with what officers made of each.

Where a passage stands today is looked up in the policies in force: at its place, or, in a later
version, wherever its words stand. Of a question with a passage that stands nowhere any more nobody
knows whether it is still right: it is stale, and is not exported.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

from sqlalchemy.ext.asyncio import AsyncConnection

from core.adapters.postgres.engine.database import database_store
from core.adapters.postgres.engine.officer_stores import ReadsForOfficers
from core.adapters.postgres.engine.rows import record, row_of
from core.adapters.postgres.engine.scope import scope_parameters
from core.adapters.postgres.record.question_statements import (
    CONTEXT,
    COUNTS,
    DECIDE,
    INSERT,
    INSERT_PASSAGE,
    KEYS,
    LIST,
    NEXT,
    NOTE_READ,
    ONE,
    SECTION_READ,
    SECTIONS,
    TEXTS,
)
from core.audit.documents import Event
from core.domain.audit import Tag
from core.domain.errors import UsageError
from core.domain.json_value import Json
from core.domain.officers import Officer
from core.domain.question import Scope
from core.domain.question_draft import (
    AnswerPassage,
    AskedSection,
    DraftState,
    KeptDraft,
    QuestionDraft,
)
from core.language.spans import Span, VersionId

AROUND = 600
"""Characters on each side of a passage that are shown."""
_TAGS: Mapping[DraftState, Tag] = {
    DraftState.ACCEPTED: Tag.DRAFT_ACCEPTED,
    DraftState.DROPPED: Tag.DRAFT_DROPPED,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftDecision:
    """What an officer makes of a draft."""

    state: DraftState
    """ACCEPTED or DROPPED; DRAFT to mend it alone."""
    question: str
    """As it is to be asked."""
    difficulty: str
    """As it is to be labelled."""
    expected: str
    """What should become of it."""
    revision: int
    """How often it had been decided on when the officer saw it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PassageContext:
    """What stands around a passage, in its section."""

    before: str
    after: str


@database_store
class PostgresQuestionDrafts(ReadsForOfficers):
    """Drafts, and what became of them. Safe from many processes."""

    async def add(
        self, drafts: Sequence[QuestionDraft], *, read: tuple[bytes, str] | None = None
    ) -> list[int]:
        """Store drafts that are not known, and return their numbers; all in one transaction.

        Args:
            drafts: What to store.
            read: The section's hash and the model that drafted them, so that it is not paid twice.
        """
        added: list[int] = []
        async with self._engine.begin() as connection:
            for draft in drafts:
                number = await self._insert(connection, draft)
                if number is not None:
                    added.append(number)
            if read is not None:
                given = {"section": read[0], "made_by": read[1], "at": self._ledger.clock.now()}
                await connection.execute(NOTE_READ, given)
        return added

    async def _insert(self, connection: AsyncConnection, draft: QuestionDraft) -> int | None:
        row = row_of(draft, key=draft.key, at=self._ledger.clock.now())
        number = await connection.scalar(INSERT, row)
        if number is None:
            return None
        for n, passage in enumerate(draft.passages, start=1):
            place = row_of(passage.span, draft=number, n=n)
            await connection.execute(INSERT_PASSAGE, row_of(passage, **place))
        return number

    async def keys(self) -> frozenset[bytes]:
        """Return the keys of all drafts, whatever became of them."""
        async with self._engine.connect() as connection:
            return frozenset(bytes(row.key) for row in await connection.execute(KEYS))

    async def was_read(self, section_sha256: bytes, made_by: str) -> bool:
        """Return whether a model drafted questions of a section before."""
        async with self._engine.connect() as connection:
            given = {"section": section_sha256, "made_by": made_by}
            return bool(await connection.scalar(SECTION_READ, given))

    async def counts(self) -> Mapping[DraftState, int]:
        """Return how many drafts there are in each state."""
        async with self._engine.connect() as connection:
            rows = (await connection.execute(COUNTS)).all()
        return dict.fromkeys(DraftState, 0) | {DraftState(row[0]): row[1] for row in rows}

    async def listed(self, *states: DraftState) -> list[KeptDraft]:
        """Return the drafts in these states, by number, with where their passages stand today."""
        given = {"states": [one.value for one in states], "day": self._today()}
        async with self._engine.connect() as connection:
            rows = (await connection.execute(LIST, given)).mappings().all()
        return [_kept(row) for row in rows]

    async def find(self, number: int) -> KeptDraft | None:
        """Return one draft; None: there is none of this number."""
        async with self._engine.connect() as connection:
            return await self._found(connection, number)

    async def next_after(self, number: int) -> int | None:
        """Return the next draft that waits for a decision; from the first again behind the last."""
        async with self._engine.connect() as connection:
            return await connection.scalar(NEXT, {"after": number})

    async def context(self, passage: AnswerPassage) -> PassageContext:
        """Return what stands around a passage, within its section."""
        given = {
            "version": passage.span.version_id,
            "start": passage.span.char_start,
            "end": passage.span.char_end,
            "around": AROUND,
        }
        async with self._engine.connect() as connection:
            row = (await connection.execute(CONTEXT, given)).one()
        return record(PassageContext, row)

    async def texts(self, scope: Scope) -> list[str]:
        """Return the texts of the versions in force in a scope."""
        async with self._engine.connect() as connection:
            return list(await connection.scalars(TEXTS, scope_parameters(scope)))

    async def sections(self, scope: Scope) -> list[AskedSection]:
        """Return the sections of the versions in force in a scope, by policy, in text order."""
        async with self._engine.connect() as connection:
            rows = (await connection.execute(SECTIONS, scope_parameters(scope))).all()
        return [record(AskedSection, row) for row in rows]

    async def decide(self, number: int, decision: DraftDecision, *, officer: Officer) -> KeptDraft:
        """Accept, mend or drop a draft, and record it, in one transaction.

        Raises:
            UsageError: There is none of this number, somebody decided on it meanwhile, or what
                answers it has changed; the message says which.
        """
        async with self._engine.begin() as connection:
            before = await self._found(connection, number)
            if before is None:
                raise UsageError(f"there is no test question {number}")
            _check(before, decision)
            mends = _changes(before, decision)
            state = before.state if decision.state is DraftState.DRAFT else decision.state
            row = row_of(
                decision,
                number=number,
                state=state.value,
                mends=bool(mends),
                officer=officer.login,
                at=self._ledger.clock.now(),
            )
            if await connection.scalar(DECIDE, row) is None:
                raise UsageError(
                    "somebody else has just decided on it: look again before you decide"
                )
            for event, content in _events(before, decision, mends, officer=officer):
                await self._ledger.event(connection, event, content=content)
            draft = replace(
                before.draft,
                question=decision.question,
                difficulty=decision.difficulty,
                expected=decision.expected,
            )
        return replace(before, draft=draft, state=state, revision=before.revision + 1)

    async def _found(self, connection: AsyncConnection, number: int) -> KeptDraft | None:
        given = {"number": number, "day": self._today()}
        row = (await connection.execute(ONE, given)).mappings().one_or_none()
        return None if row is None else _kept(row)

    def _today(self) -> date:
        return self._ledger.clock.today()


def _check(before: KeptDraft, decision: DraftDecision) -> None:
    if decision.state is DraftState.ACCEPTED and before.is_stale:
        raise UsageError("a clause that answers it has changed: it can only be dropped")
    if decision.state is DraftState.DRAFT and not _changes(before, decision):
        raise UsageError("nothing was changed")


def _changes(before: KeptDraft, decision: DraftDecision) -> dict[str, Json]:
    """Return what a decision changes of a draft's labels, with both; of its wording only that."""
    was = before.draft
    found: dict[str, Json] = {}
    for name in ("difficulty", "expected"):
        old, new = getattr(was, name), getattr(decision, name)
        if old != new:
            found[name] = {"before": old, "after": new}
    if decision.question != was.question:
        found["wording"] = True
    return found


def _events(
    before: KeptDraft, decision: DraftDecision, mends: Mapping[str, Json], *, officer: Officer
) -> Collection[tuple[Event, Mapping[str, str]]]:
    """Return what is recorded; the words themselves can be erased, like all that people write."""

    def event(tag: Tag, says: Mapping[str, Json]) -> Event:
        return Event(
            tag=tag,
            actor=officer.login,
            actor_kind="officer",
            subject=f"draft:{before.number}",
            says=says,
        )

    found: list[tuple[Event, Mapping[str, str]]] = []
    if mends:
        content = {"wording": decision.question} if "wording" in mends else {}
        found.append((event(Tag.DRAFT_MENDED, mends), content))
    if decision.state is not DraftState.DRAFT:
        says: dict[str, Json] = {
            "kind": before.draft.kind,
            "made_by": before.draft.made_by,
            "passages": [
                {
                    "version_id": one.span.version_id,
                    "start": one.span.char_start,
                    "end": one.span.char_end,
                }
                for one in before.draft.passages
            ],
        }
        found.append((event(_TAGS[decision.state], says), {}))
    return found


def _kept(row: Mapping[Any, Any]) -> KeptDraft:
    passages: list[Mapping[str, Any]] = row["passages"] or []
    return record(
        KeptDraft,
        row,
        draft=record(QuestionDraft, row, passages=tuple(map(_passage, passages))),
        is_stale=not all(one["stands"] for one in passages),
    )


def _passage(stored: Mapping[str, Any]) -> AnswerPassage:
    start = stored["start"]
    return record(
        AnswerPassage,
        stored,
        span=Span(
            version_id=VersionId(stored["version_id"]),
            char_start=start,
            char_end=start + len(stored["quote"]),
        ),
    )
