"""The alerts: they fire when they should, name metrics that there are, and say what to do."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from bot.metrics import METRICS

ROOT = Path(__file__).parents[3]
FILES = ROOT / "deploy" / "helm" / "citebound" / "files"
OURS = re.compile(r"citebound_[a-z_]+")
SECTION = re.compile(r"^### ([^\n]+)\n(.*?)(?=^##|\Z)", re.MULTILINE | re.DOTALL)
PARTS = ("_bucket", "_count", "_sum")
"""What Prometheus makes of a histogram."""


def rules() -> list[dict[str, Any]]:
    """Return all alerts."""
    groups = yaml.safe_load((FILES / "alerts.yaml").read_text())["groups"]
    return [rule for group in groups for rule in group["rules"]]


def test_each_alert_fires_when_it_should() -> None:
    """Prometheus' own tests; without promtool it skips loudly, or fails where `CI` is set."""
    promtool = shutil.which("promtool")
    if promtool is None:
        reason = "promtool absent: install Debian's package `prometheus`"
        if os.environ.get("CI"):  # noqa: TID251  # tests have no settings
            pytest.fail(f"{reason}; CI must not skip this")
        pytest.skip(reason)
    words = [promtool, "test", "rules", str(FILES / "alerts.test.yaml")]
    done = subprocess.run(words, capture_output=True, text=True, check=False)  # noqa: S603
    assert done.returncode == 0, done.stdout + done.stderr


def test_no_alert_is_untested() -> None:
    """Each is expected to fire once at least."""
    tests = yaml.safe_load((FILES / "alerts.test.yaml").read_text())["tests"]
    fired = {
        one["alertname"] for test in tests for one in test["alert_rule_test"] if one["exp_alerts"]
    }
    assert fired == {rule["alert"] for rule in rules()}


def expressions_of_the_dashboard() -> list[str]:
    """Return what its panels ask Prometheus."""
    panels = json.loads((FILES / "dashboard.json").read_text())["panels"]
    return [target["expr"] for panel in panels for target in panel["targets"]]


@pytest.mark.parametrize("what", ["alerts", "dashboard"])
def test_metrics_that_are_read_are_told(what: str) -> None:
    """A metric that nobody tells never fires, and draws nothing."""
    read = (
        [rule["expr"] for rule in rules()] if what == "alerts" else expressions_of_the_dashboard()
    )
    named = {name for expression in read for name in OURS.findall(expression)}
    known = {*METRICS, *(name + part for name in METRICS for part in PARTS)}
    assert named
    assert named - known == set()


def test_each_alert_has_a_section_for_the_night() -> None:
    """`runbook` is a heading of the operator's page, with commands below it."""
    page = (ROOT / "docs" / "operate.md").read_text()
    sections = {
        heading.lower().replace(" ", "-"): text
        for heading, text in re.findall(
            r"^### ([^\n]+)\n(.*?)(?=^##|\Z)", page, re.MULTILINE | re.DOTALL
        )
    }
    for rule in rules():
        name, _, anchor = rule["annotations"]["runbook"].partition("#")
        assert name == "docs/operate.md"
        assert anchor in sections, rule["alert"]
        assert "```" in sections[anchor], anchor
