"""What a process counts, as Prometheus reads it.

Every metric stands in one table, with its labels. The value of a label is a short word of code or
a model's name, never an id, a person's name or text: anything else is reported as `other`.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Histogram,
    ProcessCollector,
    disable_created_metrics,
    generate_latest,
)
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
BOUNDS_S = (
    *(0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0),
    *(45.0, 60.0, 120.0, 300.0, 600.0),
)
"""Upper bounds of the buckets of all histograms, seconds: Slack waits 3, and a question may take
CITEBOUND_DEADLINE_S, which is 45 if unset and at most 600."""
OTHER = "other"
MOST_SERIES = 200
"""Combinations of labels of one metric; further ones are counted together, as `other`."""
disable_created_metrics()  # a series more for each, which nobody asks for
_WORD = re.compile(r"/?[a-z][a-z0-9_./-]{0,47}|[1-5][0-9]{2}|[0-9]{1,4}(\.[0-9]{1,4}){2}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric:
    """One thing that is counted or measured."""

    kind: str
    """`counter`, `gauge` or `histogram` (of seconds)."""
    means: str
    """In a line."""
    labels: tuple[str, ...] = ()
    """Names of its labels."""


def _metric(kind: str, means: str, *labels: str) -> Metric:
    return Metric(kind=kind, means=means, labels=labels)


_counter, _gauge = partial(_metric, "counter"), partial(_metric, "gauge")
_histogram = partial(_metric, "histogram")

METRICS: Mapping[str, Metric] = {
    "citebound_http_seconds": _histogram(
        "Requests of platforms, from their first byte to our answer: what Slack waits for.",
        "route",
        "status",
    ),
    "citebound_outcomes_total": _counter("Messages that were closed.", "outcome"),
    "citebound_answer_seconds": _histogram("From the claim of a message to its record.", "outcome"),
    "citebound_stage_seconds": _histogram("Stages of an answer, each time that one ran.", "stage"),
    "citebound_question_seconds": _histogram(
        "From the storing of a message to the post of its answer: what people wait.", "platform"
    ),
    "citebound_takeovers_total": _counter(
        "Work taken over because its process's lease expired.", "kind"
    ),
    "citebound_failed_attempts_total": _counter(
        "Attempts to answer that failed; the message is retried."
    ),
    "citebound_given_up_total": _counter("Messages that were given up after their last attempt."),
    "citebound_altered_texts_total": _counter(
        "Answers kept back because a stored text is not the one that was published."
    ),
    "citebound_denied_total": _counter("Questions asked where nobody may be answered.", "reason"),
    "citebound_posts_total": _counter(
        "Attempts to post, and what the platform said: retry_after is its 429.",
        "platform",
        "result",
    ),
    "citebound_replies_total": _counter("What became of replies.", "platform", "step"),
    "citebound_model_seconds": _histogram("Calls of language models.", "model", "purpose"),
    "citebound_model_tokens_total": _counter(
        "Tokens that models read and wrote.", "model", "direction"
    ),
    "citebound_model_cost_usd_total": _counter(
        "What models cost, where the price is known.", "model"
    ),
    "citebound_model_cost_today_usd": _gauge(
        "What models cost for questions today, in UTC, in all processes."
    ),
    "citebound_daily_budget_spent": _gauge(
        "1: today's model budget is spent, and the rules answer."
    ),
    "citebound_model_budget_usd": _gauge("What models may cost in a day; absent without a limit."),
    "citebound_model_errors_total": _counter("Calls of models without a reply.", "model"),
    "citebound_lost_workspaces": _gauge(
        "Workspaces and tenants that refuse our credentials, as this process was told."
    ),
    "citebound_refused_credentials": _gauge(
        "Credentials of ours that a service refused when they were last used.", "service"
    ),
    "citebound_unheard_minutes": _gauge(
        "Minutes since startup in which the platform dropped events because there were too many.",
        "platform",
    ),
    "citebound_info": _gauge(
        "1, with the release of the process and what it does: serve, work or both.",
        "version",
        "role",
    ),
    "citebound_clock_ahead_seconds": _gauge(
        "How far the process's clock is ahead of the database's; negative: behind."
    ),
    "citebound_slots": _gauge(
        "Conversations that the process works on at a time: taken, and left.", "kind", "state"
    ),
    "citebound_pool_connections": _gauge(
        "Connections to the database: idle and in_use; overflow counts those not kept.", "state"
    ),
    "citebound_sealed_records": _gauge(
        "Records in the ledger's last checkpoint; told by `audit seal` alone."
    ),
    "citebound_oldest_unsealed_seconds": _gauge(
        "Age of the oldest record that waits to be sealed; 0: none does."
    ),
    "citebound_anchor_failures_total": _counter(
        "Checkpoints that an anchor did not take; a later one covers each.", "kind"
    ),
    "citebound_anchored_at_seconds": _gauge(
        "When the last checkpoint was signed that an anchor has: seconds since 1970.", "kind"
    ),
    "citebound_pool_limit": _gauge("Connections that may be open."),
    "citebound_pool_waiting": _gauge("Tasks that wait for a connection to the database."),
    "citebound_database_up": _gauge(
        "1: the database responded; 0: it did not, and figures from it are absent."
    ),
    "citebound_schema_fits": _gauge("1: this release works with the schema of the database."),
    "citebound_schema_migration": _gauge("Number of the newest migration of the database."),
    "citebound_calibration_drift": _gauge(
        "Stability index of the feature that moved most since the calibration in force was"
        " fitted: .25 and more is another population; absent where that is not known."
    ),
    "citebound_edition": _gauge("Newest edition of the policies; 0: nothing was ever published."),
    "citebound_waiting_messages": _gauge("Messages without an outcome."),
    "citebound_oldest_message_seconds": _gauge(
        "Age of the oldest message without an outcome; 0: there is none."
    ),
    "citebound_waiting_replies": _gauge("Replies that are not settled."),
    "citebound_oldest_reply_seconds": _gauge(
        "Age of the oldest reply that is not settled; 0: there is none."
    ),
}

_Key = tuple[str, ...]


class _Gauges(Collector):
    """Gauges that are told only while they are known: one of the library's own begins at 0."""

    def __init__(self) -> None:
        self.values: dict[str, dict[_Key, float]] = {
            name: {} for name, metric in METRICS.items() if metric.kind == "gauge"
        }

    def collect(self) -> Iterator[GaugeMetricFamily]:
        for name, values in self.values.items():
            family = GaugeMetricFamily(name, METRICS[name].means, labels=METRICS[name].labels)
            for key, value in values.items():
                family.add_metric(key, value)
            yield family


class Meter:
    """Counts of one process, its memory and processor time among them. Scraped from each."""

    def __init__(self) -> None:
        """Begin at nothing."""
        self._registry = CollectorRegistry()
        self._gauges = _Gauges()
        self._registry.register(self._gauges)
        ProcessCollector(registry=self._registry)
        self._counters = {
            name: Counter(name, metric.means, metric.labels, registry=self._registry)
            for name, metric in METRICS.items()
            if metric.kind == "counter"
        }
        self._histograms = {
            name: Histogram(
                name, metric.means, metric.labels, buckets=BOUNDS_S, registry=self._registry
            )
            for name, metric in METRICS.items()
            if metric.kind == "histogram"
        }
        self._series: dict[str, set[_Key]] = defaultdict(set)

    def count(self, name: str, by: float = 1.0, **labels: str) -> None:
        """Add to a counter."""
        key = self._key(name, "counter", labels)
        counter = self._counters[name]
        (counter.labels(*key) if key else counter).inc(by)

    def set(self, name: str, value: float | None, **labels: str) -> None:
        """Set a gauge; None: it is not known, and nothing is told of it."""
        key = self._key(name, "gauge", labels)
        if value is None:
            self._gauges.values[name].pop(key, None)
        else:
            self._gauges.values[name][key] = value

    def observe(self, name: str, seconds: float, **labels: str) -> None:
        """Add a duration to a histogram."""
        key = self._key(name, "histogram", labels)
        histogram = self._histograms[name]
        (histogram.labels(*key) if key else histogram).observe(seconds)

    def text(self) -> str:
        """Return everything, as Prometheus reads it."""
        return generate_latest(self._registry).decode()

    def _key(self, name: str, kind: str, labels: Mapping[str, str]) -> _Key:
        """Return the values of labels; `other` for each where there are as many as may be."""
        metric, known = METRICS[name], self._series[name]
        if metric.kind != kind or set(labels) != set(metric.labels):
            raise ValueError(f"{name} is a {metric.kind} with labels {metric.labels}")
        key = tuple(_word(labels[label]) for label in metric.labels)
        if key not in known and len(known) >= MOST_SERIES:
            return (OTHER,) * len(key)
        known.add(key)
        return key


def _word(value: str) -> str:
    return value if _WORD.fullmatch(value) else OTHER
