"""Which calibration a run of evaluation rests on.

Badges of other people's documents are those that the release gives. Of the deployment's own
corpus they are those that askers see: by the calibration in force there.
"""

import asyncio
import dataclasses
import hashlib
from dataclasses import dataclass
from pathlib import Path

from core.adapters.postgres.answer_stores import AnswerStores
from core.adapters.postgres.engine.embedded_account import data_folder, server_account
from core.confidence.calibration import SHIPPED, Calibrations
from core.config.settings import Settings
from core.domain.errors import UsageError
from core.ingest.folder_listing import find_sources
from core.ingest.prepare import NOTHING_GIVEN
from core.opening import open_stores

SHIPPED_NAME, ACTIVE_NAME = "shipped", "active"


@dataclass(frozen=True, slots=True, kw_only=True)
class ChosenCalibrations:
    """Calibrations, and which they are."""

    calibrations: Calibrations
    """Of rules and of models."""
    source: str
    """`shipped`, `active`, or `named`."""

    @property
    def words(self) -> str:
        """Their names, for the run's file."""
        names = dict.fromkeys((self.calibrations.rules.name, self.calibrations.models.name))
        return f"{', '.join(names)} ({self.source})"


async def chosen_calibrations(
    settings: Settings, name: str | None, *, policies: Path | None
) -> ChosenCalibrations:
    """Return what badges rest on.

    Args:
        settings: Those of the deployment.
        name: A fitted one, `shipped` or `active`; None: by what is measured.
        policies: What is measured; None: documents, each alone.

    Raises:
        UsageError: There is none of this name.
        ConfigError: The deployment's database can't be used.
    """
    if name == SHIPPED_NAME or (name is None and not await asyncio.to_thread(_is_there, settings)):
        return ChosenCalibrations(calibrations=SHIPPED, source=SHIPPED_NAME)
    if name is None and policies is None:
        return ChosenCalibrations(calibrations=SHIPPED, source=SHIPPED_NAME)
    async with open_stores(AnswerStores, settings) as stores:
        if name is None and not await _is_corpus(stores, policies):
            return ChosenCalibrations(calibrations=SHIPPED, source=SHIPPED_NAME)
        name = name or ACTIVE_NAME
        return ChosenCalibrations(
            calibrations=await named_calibrations(stores, name),
            source=ACTIVE_NAME if name == ACTIVE_NAME else "named",
        )


async def named_calibrations(stores: AnswerStores, name: str) -> Calibrations:
    """Return `shipped`, `active`, or those in force with a fitted one in the place of its kind.

    Raises:
        UsageError: There is none of this name.
    """
    active = await stores.calibrations.active()
    if name in {SHIPPED_NAME, ACTIVE_NAME}:
        return SHIPPED if name == SHIPPED_NAME else active
    stored = await stores.calibrations.stored()
    found = next((one for one in stored if one.calibration.name == name), None)
    if found is None:
        raise UsageError(
            f"there is no calibration {name!r}: `citebound eval calibration --json` lists them"
        )
    kind = "models" if found.of_models else "rules"
    return dataclasses.replace(active, **{kind: found.calibration})


def _is_there(settings: Settings) -> bool:
    """Say whether there is a deployment; its database is not made to find out."""
    if settings.database_url:
        return True
    home = settings.home.expanduser()
    return home.exists() and (data_folder(home, server_account()) / "PG_VERSION").exists()


async def _is_corpus(stores: AnswerStores, policies: Path | None) -> bool:
    """Say whether all files of a folder were published in the deployment."""
    if policies is None:
        return False
    sources = find_sources([policies], given=NOTHING_GIVEN).sources
    hashes = [await asyncio.to_thread(_sha256, one.path) for one in sources]
    known = await stores.report.file_hashes()
    return bool(hashes) and set(hashes) <= known


def _sha256(path: Path) -> bytes:
    return hashlib.sha256(path.read_bytes()).digest()
