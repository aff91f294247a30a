"""Metrics of running processes: what alerts and dashboard name is told, and of few series."""

import json
import re
from pathlib import Path

import yaml

from bot.metrics import METRICS
from bot.traces import STAGES
from core.adapters.postgres.queue.work_queue import SLOTS
from core.domain.answer import Outcome
from core.service_access.refusals import SERVICES
from tests.acceptance.slack.test_command import QUESTION, command
from tests.servers.slack import FakeSlack

FILES = Path(__file__).parents[3] / "deploy" / "helm" / "citebound" / "files"
NAME = re.compile(r"(citebound_[a-z_]+?)(?:_bucket|_sum|_count)?\b")
SAMPLE = re.compile(r"^(citebound_[a-z_]+?)(?:_bucket|_sum|_count)?(?:{(.*)})? \S+$")
LABEL = re.compile(r'([a-z]+)="([^"]*)"')
OF_EVENTS = {
    "citebound_anchor_failures_total": "the sealing process",
    "citebound_anchored_at_seconds": "the sealing process",
    "citebound_calibration_drift": "enough answers",
    "citebound_denied_total": "a place with a guest",
    "citebound_model_budget_usd": "a limit",
    "citebound_model_cost_usd_total": "a model",
    "citebound_model_errors_total": "a model",
    "citebound_model_seconds": "a model",
    "citebound_model_tokens_total": "a model",
    "citebound_oldest_unsealed_seconds": "the sealing process",
    "citebound_sealed_records": "the sealing process",
}
"""Metrics that one question to the rules does not tell, and what does."""
WORDS = {
    "kind": set(SLOTS),
    "outcome": {one.value for one in Outcome},
    "platform": {"slack", "teams"},
    "result": {"posted"},
    "role": {"both"},
    "route": {"/slack/events", "/slack/interactions", "/slack/commands", "none"},
    "service": set(SERVICES),
    "stage": set(STAGES),
    "state": {"busy", "free", "idle", "in_use", "overflow"},
    "status": {"200"},
    "step": {"settle"},
}
"""The values of labels of one question that goes well."""


def read_by_operators() -> set[str]:
    """Return the metrics that the alerts and the dashboard name."""
    groups = yaml.safe_load((FILES / "alerts.yaml").read_text())["groups"]
    panels = json.loads((FILES / "dashboard.json").read_text())["panels"]
    read = [rule["expr"] for group in groups for rule in group["rules"]]
    read += [target["expr"] for panel in panels for target in panel["targets"]]
    return {name for expression in read for name in NAME.findall(expression)}


async def test_what_operators_read_is_told(slack: FakeSlack, slack_database: str) -> None:
    """By a process that has answered one question; its labels are words of code."""
    anna = slack.workspace.user("anna")
    async with command(slack, slack_database) as serving:
        said = await slack.people.ask(anna, QUESTION)
        await slack.until(lambda: bool(slack.checks.replies(said.message)), timeout_s=30.0)
        told = ""
        while "citebound_question_seconds_count" not in told:
            told = (await serving.get("metrics"))[1]
    assert "\nprocess_resident_memory_bytes " in told
    ours = [line for line in told.splitlines() if line.startswith("citebound_")]
    samples = [one for line in ours if (one := SAMPLE.match(line))]
    assert len(samples) == len(ours)
    sampled = {one[1] for one in samples}
    assert read_by_operators() - sampled <= set(OF_EVENTS)
    assert sampled | set(OF_EVENTS) == set(METRICS)
    values = {pair for one in samples for pair in LABEL.findall(one[2] or "")}
    for label, value in values:
        assert label in {"le", "version"} or value in WORDS[label], (label, value)
    assert "citebound_database_up 1" in told
    assert "citebound_schema_fits 1" in told
    free = re.search(r'citebound_slots{kind="answer",state="free"} (\d)', told)
    assert free is not None
    assert 1 <= int(free[1]) <= SLOTS["answer"]
    assert 'citebound_info{role="both",version="' in told
