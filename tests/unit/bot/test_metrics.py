"""What is counted is told as Prometheus reads it, and holds no id, name or text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.metrics import BOUNDS_S, METRICS, MOST_SERIES, OTHER, Meter
from core.config.settings import Settings


def test_each_metric_is_told_in_its_form() -> None:
    """The arithmetic of counters, gauges and buckets."""
    meter = Meter()
    meter.count("citebound_posts_total", platform="slack", result="posted")
    meter.count("citebound_posts_total", 2, platform="slack", result="posted")
    meter.set("citebound_waiting_messages", 7)
    for seconds in (0.004, 0.2, 99.0):
        meter.observe("citebound_http_seconds", seconds, route="/slack/events", status="200")
    lines = meter.text().splitlines()
    assert 'citebound_posts_total{platform="slack",result="posted"} 3.0' in lines
    assert "citebound_waiting_messages 7.0" in lines
    at, of = "citebound_http_seconds_bucket{le=", 'route="/slack/events",status="200"'
    assert f'{at}"0.005",{of}}} 1.0' in lines
    assert f'{at}"0.25",{of}}} 2.0' in lines
    assert f'{at}"30.0",{of}}} 2.0' in lines
    assert f'{at}"+Inf",{of}}} 3.0' in lines
    assert 'citebound_http_seconds_sum{route="/slack/events",status="200"} 99.204' in lines
    for name, metric in METRICS.items():
        assert f"# TYPE {name} {metric.kind}" in lines


@given(st.text(max_size=60))
def test_a_label_is_a_word_of_code(value: str) -> None:
    """Whatever else comes, ids of Slack's among it, is told as `other`, and breaks no line."""
    meter = Meter()
    meter.count("citebound_denied_total", reason=value)
    (told,) = (line for line in meter.text().splitlines() if line.startswith("citebound_denied"))
    assert told in {
        f'citebound_denied_total{{reason="{value}"}} 1.0',
        f'citebound_denied_total{{reason="{OTHER}"}} 1.0',
    }
    assert all(one in "abcdefghijklmnopqrstuvwxyz0123456789_./-" for one in told.split('"')[1])


@pytest.mark.parametrize("value", ["U0ANNA", "C1", "anna@example.com", "what is", "1700.1", ""])
def test_ids_and_text_are_no_labels(value: str) -> None:
    """Of people, channels and messages."""
    meter = Meter()
    meter.count("citebound_denied_total", reason=value)
    assert f'"{OTHER}"' in meter.text()


def test_what_is_not_in_the_table_is_refused() -> None:
    """Nobody adds a label in passing."""
    with pytest.raises(ValueError, match="citebound_denied_total"):
        Meter().count("citebound_denied_total", reason="guest", person="anna")
    with pytest.raises(ValueError, match="citebound_denied_total"):
        Meter().set("citebound_denied_total", 1.0)


def test_a_metric_has_so_many_series_and_no_more() -> None:
    """Whatever is given as a label: beyond the limit all is counted together."""
    meter = Meter()
    for n in range(MOST_SERIES + 50):
        meter.count("citebound_denied_total", reason=f"reason-{n}")
        meter.observe("citebound_model_seconds", 1.0, model=f"model-{n}", purpose="answer")
    counted = [one for one in meter.text().splitlines() if one.startswith("citebound_denied")]
    assert len(counted) == MOST_SERIES + 1
    assert f'citebound_denied_total{{reason="{OTHER}"}} 50.0' in counted
    assert meter.text().count("citebound_model_seconds_sum") == MOST_SERIES + 1


def test_a_counter_begins_at_zero() -> None:
    """Of one that appears as 1, Prometheus sees no increase, and its alert misses the first."""
    told = Meter().text().splitlines()
    assert "citebound_given_up_total 0.0" in told
    assert "citebound_failed_attempts_total 0.0" in told


def test_buckets_reach_beyond_the_deadline() -> None:
    """So that it can be told how late an answer is that is late."""
    assert sum(bound > Settings().deadline_s for bound in BOUNDS_S) >= 3
    assert {10.0, 30.0} <= set(BOUNDS_S)
