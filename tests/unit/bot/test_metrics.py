"""What is counted is told as Prometheus reads it, and holds no id, name or text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.metrics import METRICS, OTHER, Meter


def test_each_metric_is_told_in_its_form() -> None:
    """The arithmetic of counters, gauges and buckets."""
    meter = Meter()
    meter.count("citebound_posts_total", platform="slack", result="posted")
    meter.count("citebound_posts_total", 2, platform="slack", result="posted")
    meter.set("citebound_waiting_messages", 7)
    for seconds in (0.004, 0.2, 99.0):
        meter.observe("citebound_http_seconds", seconds, route="/slack/events", status="200")
    lines = meter.text().splitlines()
    assert 'citebound_posts_total{platform="slack",result="posted"} 3' in lines
    assert "citebound_waiting_messages 7" in lines
    at = 'citebound_http_seconds_bucket{route="/slack/events",status="200",le='
    assert f'{at}"0.005"}} 1' in lines
    assert f'{at}"0.25"}} 2' in lines
    assert f'{at}"30.0"}} 2' in lines
    assert f'{at}"+Inf"}} 3' in lines
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
        f'citebound_denied_total{{reason="{value}"}} 1',
        f'citebound_denied_total{{reason="{OTHER}"}} 1',
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
