"""What is read when the metrics are asked for: the process, its connections, and the database."""

import asyncio
import logging
from collections import Counter
from collections.abc import Mapping, Sequence

from bot.metrics import Meter
from bot.platform import Chat
from core.bootstrap import Service
from core.domain.errors import TransientError
from core.ports.operations import DatabaseState
from core.service_access.refusals import SERVICES, service_of

DRIFT_EVERY_S = 600.0
"""It reads a thousand answers."""
ANSWERED_WITHIN_S = 3.0
"""What the database may take: a scraper waits 10 s."""

logger = logging.getLogger(__name__)


class Gauges:
    """Reads the state of one process. See `bot.app.http.Gauge`."""

    def __init__(self, service: Service, chats: Sequence[Chat]) -> None:
        self._service = service
        self._chats = tuple(chats)
        self._drift_due_s = 0.0

    async def __call__(self, meter: Meter) -> None:
        """Set all gauges."""
        refused = Counter(map(service_of, self._service.refusals.known))
        meter.set("citebound_lost_workspaces", refused["slack"] + refused["teams"])
        for name in SERVICES:
            meter.set("citebound_refused_credentials", refused[name], service=name)
        for chat in self._chats:
            meter.set("citebound_unheard_minutes", float(chat.unheard()), platform=chat.name)
        meter.set("citebound_model_budget_usd", self._service.settings.daily_budget_usd)
        for kind, slots in self._service.queue.slots().items():
            meter.set("citebound_slots", slots.busy, kind=kind, state="busy")
            meter.set("citebound_slots", slots.free, kind=kind, state="free")
        self._set_connections(meter)
        state = await self._database_state()
        if state is not None:
            await self._set_drift(meter)
        meter.set("citebound_database_up", float(state is not None))
        ahead_s = self._service.health.clock_ahead_s
        meter.set("citebound_clock_ahead_seconds", None if state is None else ahead_s)
        for name, value in _of_database(state).items():
            meter.set(name, value)

    async def _set_drift(self, meter: Meter) -> None:
        """Compare what is asked with what the calibration was fitted on, every few minutes."""
        now_s = asyncio.get_running_loop().time()
        if now_s < self._drift_due_s:
            return
        self._drift_due_s = now_s + DRIFT_EVERY_S
        try:
            async with asyncio.timeout(ANSWERED_WITHIN_S):
                found = await self._service.calibrations.drift(of_models=False)
        except (TransientError, TimeoutError):
            found = None
        meter.set("citebound_calibration_drift", max(found.values()) if found else None)

    def _set_connections(self, meter: Meter) -> None:
        use = self._service.health.connections()
        if use is None:
            return
        meter.set("citebound_pool_connections", use.idle, state="idle")
        meter.set("citebound_pool_connections", use.in_use, state="in_use")
        meter.set("citebound_pool_connections", use.overflow, state="overflow")
        meter.set("citebound_pool_limit", use.most)
        meter.set("citebound_pool_waiting", use.waiting)

    async def _database_state(self) -> DatabaseState | None:
        try:
            async with asyncio.timeout(ANSWERED_WITHIN_S):
                return await self._service.health.state()
        except (TransientError, TimeoutError):
            logger.warning("the database does not say what waits")
            return None


def _of_database(state: DatabaseState | None) -> Mapping[str, float | None]:
    """Return the gauges that the database tells; None: an old value would look like a new one."""
    return {
        "citebound_waiting_messages": state and state.messages,
        "citebound_oldest_message_seconds": state and state.oldest_message_s,
        "citebound_waiting_replies": state and state.replies,
        "citebound_oldest_reply_seconds": state and state.oldest_reply_s,
        "citebound_model_cost_today_usd": state and state.model_cost_usd,
        "citebound_daily_budget_spent": state and float(state.is_overspent),
        "citebound_oldest_unsealed_seconds": state and state.oldest_unsealed_s,
        "citebound_edition": state and state.edition,
        "citebound_schema_migration": state and state.migration,
        "citebound_schema_fits": state and float(state.is_known_schema),
    }
