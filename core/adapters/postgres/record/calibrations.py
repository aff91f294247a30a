"""Calibrations that were fitted here, which of them is in force, and the labels to fit them on.

A calibration comes into force by an activation alone, which is recorded: to fit one changes nothing
for anybody. What is in force is read for each question, so that all processes switch at once.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import text
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncConnection

from core.adapters.postgres.engine.database import raises_transient, server_now
from core.adapters.postgres.engine.ledger import RecordingStore
from core.adapters.postgres.engine.rows import record
from core.adapters.postgres.engine.transactions import AdvisoryLock, wait_for_one
from core.audit.documents import Event
from core.confidence.calibration import (
    Calibration,
    Calibrations,
    calibration_json,
    calibration_of,
)
from core.confidence.drift import Spread, drift
from core.confidence.label import AnswerLabel, LabelSource
from core.domain.audit import Tag
from core.domain.errors import UsageError

_ACTIVE = text(
    "SELECT DISTINCT ON (a.of_models) a.of_models, c.coefficients"
    " FROM citebound.calibration_activations a"
    " LEFT JOIN citebound.calibrations c USING (name)"
    " ORDER BY a.of_models, a.id DESC"
)
_KEEP = text(
    "INSERT INTO citebound.calibrations"
    " (name, of_models, fitted_at, data_hash, labels, coefficients, figures, spreads)"
    " VALUES (:name, :of_models, :at, :hash, CAST(:labels AS jsonb),"
    " CAST(:coefficients AS jsonb), CAST(:figures AS jsonb), CAST(:spreads AS jsonb))"
)
_STORED = text(
    "SELECT name, of_models, fitted_at, labels, coefficients, figures, spreads"
    " FROM citebound.calibrations ORDER BY fitted_at, name"
)
_ACTIVATE = text(
    "INSERT INTO citebound.calibration_activations (of_models, name, at)"
    " VALUES (:of_models, :name, :at)"
)
_LABELS = text(
    "SELECT v.features, v.verdict = 'right' AS is_right, v.conversation_id::text AS conversation,"
    " 'verdict' AS source, v.chance"
    " FROM citebound.verdicts v"
    " WHERE v.chance IS NOT NULL AND (v.reasoner NOT LIKE 'extractive/%') = :of_models"
    " AND NOT EXISTS (SELECT FROM citebound.verdicts later"
    "   WHERE later.answer_id = v.answer_id AND later.chance IS NOT NULL AND later.id > v.id)"
    " UNION ALL"
    " SELECT p.scores, p.answers, q.conversation_id::text, 'press', NULL"
    " FROM citebound.passage_labels p JOIN citebound.answers a ON a.id = p.answer_id"
    " JOIN citebound.questions q ON q.id = a.question_id"
    " WHERE p.counts AND p.is_asker AND p.scores IS NOT NULL"
    " AND (p.reasoner NOT LIKE 'extractive/%') = :of_models"
)
"""Verdicts that came otherwise than by the plan are of answers that somebody complained of: they
would make all answers look worse than they are."""
_RECENT = text(
    "SELECT trace->'confidence_features' AS features FROM citebound.answers"
    " WHERE calibrated IS NOT NULL AND trace ? 'confidence_features'"
    " AND (reasoner NOT LIKE 'extractive/%') = :of_models"
    " ORDER BY id DESC LIMIT :most"
)


RECENT = 1_000
"""Drafts that are compared with those of the fit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FittedCalibration:
    """A calibration with what it was fitted on and how good it is."""

    calibration: Calibration
    """Its coefficients; the name is its identity."""
    of_models: bool
    """True: for drafts of a language model; False: of the rules."""
    fitted_at: datetime
    """When."""
    labels: Mapping[str, int]
    """How many labels it was fitted on, by source."""
    figures: Mapping[str, Mapping[str, Any]]
    """See `evals.measuring.probabilities.summary`, by source."""
    spreads: Mapping[str, Spread]
    """How its features were distributed."""


class PostgresCalibrations(RecordingStore):
    """See `core.agent.request.CalibrationSource`."""

    @raises_transient
    async def active(self) -> Calibrations:
        """See `CalibrationSource.active`."""
        async with self._engine.connect() as connection:
            return await _active(connection)

    @raises_transient
    async def keep(self, fitted: FittedCalibration, /) -> None:
        """Store a calibration; it is not in force by that.

        Raises:
            UsageError: There is one of this name.
        """
        spreads = {
            name: {"bounds": one.bounds, "shares": one.shares}
            for name, one in fitted.spreads.items()
        }
        row = {
            "name": fitted.calibration.name,
            "of_models": fitted.of_models,
            "at": fitted.fitted_at,
            "hash": fitted.calibration.data_hash,
            "labels": json.dumps(dict(fitted.labels)),
            "coefficients": json.dumps(calibration_json(fitted.calibration)),
            "figures": json.dumps(dict(fitted.figures)),
            "spreads": json.dumps(spreads),
        }
        try:
            async with self._engine.begin() as connection:
                await connection.execute(_KEEP, row)
        except IntegrityError as error:
            raise UsageError(
                f"there is a calibration {fitted.calibration.name!r}: choose another name"
            ) from error

    @raises_transient
    async def stored(self) -> tuple[FittedCalibration, ...]:
        """Return all that were fitted here, the oldest first."""
        async with self._engine.connect() as connection:
            rows = (await connection.execute(_STORED)).all()
        return tuple(
            record(
                FittedCalibration,
                row,
                calibration=calibration_of(row.coefficients),
                spreads={
                    name: Spread(bounds=tuple(one["bounds"]), shares=tuple(one["shares"]))
                    for name, one in row.spreads.items()
                },
            )
            for row in rows
        )

    @raises_transient
    async def activate(
        self,
        calibration: Calibration,
        *,
        of_models: bool,
        is_shipped: bool,
        reason: str,
        officer: str | None = None,
        instead_of: str | None = None,
    ) -> str:
        """Let a calibration be in force from the next question on, and return the record of it.

        `officer` is who decided it in the console; None: an operator at the command line. With
        `instead_of` that one must still be in force, as whoever decides has seen it.

        Raises:
            UsageError: It was not fitted here; or another one came into force meanwhile.
        """
        name = None if is_shipped else calibration.name
        async with self._engine.begin() as connection:
            await wait_for_one(connection, AdvisoryLock.ACTIVATING_CALIBRATION, str(of_models))
            before = (await _active(connection)).own(of_models=of_models)
            if instead_of is not None and before.name != instead_of:
                raise UsageError(
                    f"{before.name} came into force meanwhile: look at its figures first"
                )
            given = {"of_models": of_models, "name": name, "at": await server_now(connection)}
            try:
                await connection.execute(_ACTIVATE, given)
            except IntegrityError as error:
                raise UsageError(f"there is no calibration {calibration.name!r} here") from error
            event = Event(
                tag=Tag.CALIBRATION_ACTIVATED,
                actor=officer or "console",
                actor_kind="officer" if officer else "operator",
                subject=f"calibration:{calibration.name}",
                says={
                    "of": "models" if of_models else "rules",
                    "before": calibration_json(before),
                    "after": calibration_json(calibration),
                },
            )
            return await self._ledger.event(connection, event, content={"reason": reason})

    @raises_transient
    async def labels(self, *, of_models: bool) -> list[AnswerLabel]:
        """Return what people found of answers of this deployment: presses, and officers' verdicts.

        The last word of each counts.
        """
        async with self._engine.connect() as connection:
            rows = (await connection.execute(_LABELS, {"of_models": of_models})).all()
        return [
            AnswerLabel(
                features=row.features,
                is_right=row.is_right,
                group=row.conversation,
                source=LabelSource(row.source),
                weight=1 / row.chance if row.chance else 1.0,
            )
            for row in rows
            if of_models or row.features.get("read")
        ]

    async def count_labels(self) -> int:
        """Return how many labels there are of answers of this deployment."""
        return sum([len(await self.labels(of_models=one)) for one in (False, True)])

    async def drift(self, *, of_models: bool, most: int = RECENT) -> Mapping[str, float] | None:
        """Return how far the last drafts differ from those of the calibration in force.

        See `core.confidence.drift.drift`; empty if it was not fitted here.
        """
        name = (await self.active()).own(of_models=of_models).name
        found = next((one for one in await self.stored() if one.calibration.name == name), None)
        if found is None:
            return {}
        return drift(found.spreads, await self._recent(of_models=of_models, most=most))

    @raises_transient
    async def _recent(self, *, of_models: bool, most: int) -> Sequence[Mapping[str, float]]:
        async with self._engine.connect() as connection:
            given = {"of_models": of_models, "most": most}
            return [row.features for row in await connection.execute(_RECENT, given)]


async def _active(connection: AsyncConnection) -> Calibrations:
    found = {
        "models" if row.of_models else "rules": calibration_of(row.coefficients)
        for row in (await connection.execute(_ACTIVE)).all()
        if row.coefficients is not None
    }
    return Calibrations(**found)
