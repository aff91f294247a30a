"""`citebound eval calibrate`, `calibration` and `activate`: what the badge rests on.

To fit a calibration changes no answer: it is in force once somebody activates it, which is recorded
with who did it and why.
"""

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.text import Text

from bot.console.views.terminal import Row, Terminal, local, one_line, open_terminal
from core.adapters.postgres.record.calibrations import FittedCalibration, PostgresCalibrations
from core.agent.wording import rests_on
from core.confidence.calibration import SHIPPED, Calibration
from core.confidence.calibration import calibrate as calibrated
from core.confidence.drift import MOVED, moved
from core.confidence.label import OWN_LABELS, AnswerLabel
from core.domain.errors import UsageError
from core.domain.json_value import Json
from evals.measuring.calibrations import SHIPPED_NAME
from evals.measuring.commands.opening import opened_stores
from evals.measuring.fitting import FEATURES, TooFewLabelsError, fitted_with_figures
from evals.measuring.labels import labels_of_run
from evals.measuring.probabilities import Scored, summary

EXIT_TOO_FEW = 9
ELSEWHERE = "measured elsewhere (docs/quality.md); --runs measures it on questions of your own"


def calibrate(*, runs: Sequence[Path], of: str, name: str | None, as_json: bool) -> int:
    """Fit a calibration on labels of this deployment and store it; 9 if there are too few."""
    terminal = open_terminal()
    of_models = of == "models"
    from_runs = [one for path in runs for one in labels_of_run(path, of_models=of_models)]
    try:
        asyncio.run(
            _calibrate(terminal, from_runs, of_models=of_models, name=name, as_json=as_json)
        )
    except TooFewLabelsError as error:
        terminal.remark(Text(str(error)))
        return EXIT_TOO_FEW
    return 0


async def _calibrate(
    terminal: Terminal,
    from_runs: Sequence[AnswerLabel],
    *,
    of_models: bool,
    name: str | None,
    as_json: bool,
) -> None:
    async with opened_stores(terminal) as stores:
        labels = [*from_runs, *await stores.calibrations.labels(of_models=of_models)]
        if len(labels) < OWN_LABELS:
            raise TooFewLabelsError(
                f"{len(labels)} of {OWN_LABELS} labels: officers' verdicts, presses below closest"
                " passages and runs of your own questions (--runs) count"
            )
        now = stores.clock.now()
        name = name or f"own-{'models' if of_models else 'rules'}/{now:%Y%m%d-%H%M%S}"
        fitted = fitted_with_figures(labels, FEATURES[of_models], name=name)
        kept = FittedCalibration(
            calibration=fitted.calibration,
            of_models=of_models,
            fitted_at=now,
            labels=fitted.labels,
            figures=fitted.figures,
            spreads=fitted.spreads,
        )
        await stores.calibrations.keep(kept)
    if as_json:
        terminal.show_json(_as_json(kept))
    else:
        terminal.show(
            *_rows(kept),
            Text(f"It is not in force: citebound eval activate {name} --reason ...", style="cyan"),
        )


def calibration(*, runs: Sequence[Path], of: str, as_json: bool) -> int:
    """Say what the badge rests on and how good that is; 0."""
    terminal = open_terminal()
    of_models = of == "models"
    labels = [one for path in runs for one in labels_of_run(path, of_models=of_models)]
    if runs and not labels:
        raise UsageError(f"no answer of these runs has a calibration for {of}")
    asyncio.run(_calibration(terminal, labels, of_models=of_models, as_json=as_json))
    return 0


async def _calibration(
    terminal: Terminal, labels: Sequence[AnswerLabel], *, of_models: bool, as_json: bool
) -> None:
    async with opened_stores(terminal) as stores:
        active = (await stores.calibrations.active()).own(of_models=of_models)
        known = {one.calibration.name: one for one in await stores.calibrations.stored()}
        own = await stores.calibrations.labels(of_models=of_models)
        drift = await stores.calibrations.drift(of_models=of_models)
    found = known.get(active.name)
    measured = _measured(labels, active) if labels else None
    if as_json:
        terminal.show_json(
            {
                "active": active.name,
                "rests_on": rests_on(active),
                "own_labels": len(own),
                "own_labels_wanted": OWN_LABELS,
                "drift": dict(drift) if drift else None,
                "figures": found.figures if found else None,
                "measured": measured,
                "stored": sorted(known),
            }
        )
        return
    terminal.show(
        _row("in force", f"{active.name}: {rests_on(active)}"),
        _row("own labels", f"{len(own)} of {OWN_LABELS}"),
        _row("drift", drift_words(drift)),
        *(_rows(found) if found else (_row("figures", ELSEWHERE),)),
        *((_row("measured", _figures_words(measured)),) if measured else ()),
    )


def _measured(labels: Sequence[AnswerLabel], active: Calibration) -> dict[str, Json]:
    """Return how good a calibration is on labels, none of which it was fitted on."""
    return summary(
        [
            Scored(
                probability=calibrated(one.features, active),
                is_right=one.is_right,
                weight=one.weight,
            )
            for one in labels
        ]
    )


def activate(*, name: str, of: str, reason: str) -> int:
    """Let a calibration be in force; 0."""
    terminal = open_terminal()
    asyncio.run(_activate(terminal, name, of_models=of == "models", reason=reason))
    return 0


async def _activate(terminal: Terminal, name: str, *, of_models: bool, reason: str) -> None:
    async with opened_stores(terminal) as stores:
        chosen = await _chosen(stores.calibrations, name, of_models=of_models)
        record_id = await stores.calibrations.activate(
            chosen, of_models=of_models, is_shipped=name == SHIPPED_NAME, reason=reason
        )
    terminal.show(
        Text(f"{one_line(chosen.name)} is in force from the next question on."),
        Text(f"record {record_id}", style="dim"),
    )


async def _chosen(store: PostgresCalibrations, name: str, *, of_models: bool) -> Calibration:
    if name == SHIPPED_NAME:
        return SHIPPED.own(of_models=of_models)
    known = {
        one.calibration.name: one.calibration
        for one in await store.stored()
        if one.of_models is of_models
    }
    if name not in known:
        there = ", ".join((SHIPPED_NAME, *known))
        raise UsageError(
            f"there is no calibration {name!r}, only {there}: `citebound eval calibrate` fits one"
        )
    return known[name]


def drift_words(drift: Mapping[str, float] | None) -> str:
    """Return what became of the features since the fit."""
    if drift is None:
        return "too few answers to tell"
    if not drift:
        return "not known: the calibration in force was fitted elsewhere"
    worst, index = next(iter(drift.items()))
    if not moved(drift):
        return f"none: the most changed feature, {worst}, is at {index:.2f} of {MOVED}"
    return f"{', '.join(moved(drift))} moved ({index:.2f}, from {MOVED} on): calibrate again"


def _rows(fitted: FittedCalibration) -> list[Row]:
    fitted, calibration = local(fitted), fitted.calibration
    rows = [
        _row("calibration", f"{calibration.name}, of {fitted.fitted_at:%Y-%m-%d %H:%M %Z}"),
        _row("labels", ", ".join(f"{count} {name}" for name, count in fitted.labels.items())),
        _row(
            "thresholds",
            f"{_high_words(calibration)}, answered from {calibration.answer_from:.2f},"
            f" closest passage from {calibration.closest_from:.2f}",
        ),
    ]
    figures: Mapping[str, Any] = fitted.figures
    rows += [_row(name, _figures_words(one)) for name, one in figures.items()]
    rows.append(
        _row("", "measured on conversations and documents that the fit had not seen; a sample")
    )
    return rows


def _high_words(calibration: Calibration) -> str:
    is_reached = calibration.high_from <= 1
    return (
        f"High from {calibration.high_from:.2f}"
        if is_reached
        else "nothing is sure enough for High"
    )


def _figures_words(found: Mapping[str, Any]) -> str:
    promise = found["guarantee"]
    held = (
        f"{promise['coverage']:.0%} answered with at most {promise['budget']:.0%} wrong"
        f" (from {promise['threshold']:.2f} on, {promise['wrong']} of {promise['answered']} wrong;"
        f" broken in {promise['risk']:.0%} of samples at most)"
        if promise["answered"]
        else f"no threshold promises at most {promise['budget']:.0%} wrong"
    )
    chance = (  # what was stored before has none
        f" ({found['ece_by_chance']:.3f} by chance alone)" if "ece_by_chance" in found else ""
    )
    area = "-" if found["auroc"] is None else f"{found['auroc']:.3f}"
    return (
        f"{found['right']} of {found['labels']} right; ECE {found['ece']:.3f}{chance},"
        f" Brier {found['brier']:.3f}, AUROC {area}; {held}"
    )


def _row(head: str, words: str) -> Row:
    return Row(heads=(Text(f"{head:<12}", style="bold"),), lines=(Text(one_line(words)),))


def _as_json(fitted: FittedCalibration) -> dict[str, object]:
    thresholds = ("high_from", "answer_from", "closest_from")
    shown = ("name", "intercept", "weights", *thresholds, "data_hash")
    return {
        **{name: getattr(fitted.calibration, name) for name in shown},
        "labels": dict(fitted.labels),
        "figures": dict(fitted.figures),
    }
