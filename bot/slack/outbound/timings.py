"""How long is waited while an answer is made in Slack."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class SlackTimings:
    """How long is waited, in seconds; tests wait less."""

    refreshed_every_s: float = 90.0
    """Between two settings of the status: Slack takes it away after two minutes."""
    draw_after_s: float = 0.6
    """From the claim to the first task: a run that is over by then shows its status alone, which
    saves a call and does not flicker."""
    drawn_every_s: float = 1.0
    """Between two additions to the tasks, at least: Slack takes some 100 a minute, of all runs."""
    beats_every_s: float = 15.0
    """Between two signs of a stream: one that is quiet for half a minute dies."""
    wakes_after_s: float = 0.3
    """From the claim to the status, where it is not yet known who reads; mostly it is by then."""
    points_after_s: float = 10.0
    """From the first claim to the line that points to a direct message, which needs no look-up of
    who reads."""
    silent_s: float = 40.0
    """After which a socket that hears nothing is opened anew: four pings without an answer."""
