"""The breaker: opens after failures in a row, lets one probe pass, closes when it succeeds."""

from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from core.adapters.anthropic.api.metered_calls import Breaker

LIMIT, PAUSE_S = 3, 30.0


def opened() -> Breaker:
    """Return one that opened at second 100."""
    breaker = Breaker(failures=LIMIT, pause_s=PAUSE_S)
    for _ in range(LIMIT):
        assert breaker.may_pass(100)
        breaker.failed(100)
    return breaker


def test_it_opens_after_failures_in_a_row() -> None:
    """The third failure in a row opens it, not the third in all."""
    breaker = Breaker(failures=LIMIT, pause_s=PAUSE_S)
    for second in (1, 2):
        breaker.failed(second)
    breaker.succeeded()
    for second in (3, 4):
        breaker.failed(second)
    assert breaker.may_pass(5)
    breaker.failed(5)
    assert not breaker.may_pass(6)


def test_one_probe_passes_after_the_pause() -> None:
    """While the probe is under way nobody else passes."""
    breaker = opened()
    assert not breaker.may_pass(129.9)
    assert breaker.may_pass(130)
    assert not breaker.may_pass(131)


def test_a_probe_that_succeeds_closes_it() -> None:
    """Then everybody passes."""
    breaker = opened()
    assert breaker.may_pass(130)
    breaker.succeeded()
    assert all(breaker.may_pass(131) for _ in range(9))


def test_a_probe_that_fails_opens_it_again() -> None:
    """One failure is enough, and the pause begins anew."""
    breaker = opened()
    assert breaker.may_pass(130)
    breaker.failed(140)
    assert not breaker.may_pass(169)
    assert breaker.may_pass(170)


def test_a_probe_without_a_verdict_leaves_its_place() -> None:
    """A cancelled probe does not block the next one for ever."""
    breaker = opened()
    assert breaker.may_pass(130)
    breaker.gave_up()
    assert breaker.may_pass(130)


@given(st.lists(st.booleans(), max_size=40))
def test_it_is_open_just_when_the_last_ones_failed(outcomes: list[bool]) -> None:
    """Before its pause is over it says no exactly if the last failures reached the limit."""
    breaker = Breaker(failures=LIMIT, pause_s=PAUSE_S)
    row = 0
    for succeeds in outcomes:
        if not breaker.may_pass(0):
            assert row == LIMIT
            return
        if succeeds:
            breaker.succeeded()
            row = 0
        else:
            breaker.failed(0)
            row += 1
        assert breaker.may_pass(0) == (row < LIMIT)


class NeverStuck(RuleBasedStateMachine):
    """Whatever calls do, once they are over and the pause has passed, somebody may pass."""

    def __init__(self) -> None:
        super().__init__()
        self.breaker = Breaker(failures=LIMIT, pause_s=PAUSE_S)
        self.now = 0.0
        self.under_way = 0

    @rule(seconds=st.floats(0, 40))
    def wait(self, seconds: float) -> None:
        self.now += seconds

    @rule()
    def begin(self) -> None:
        self.under_way += self.breaker.may_pass(self.now)

    @precondition(lambda self: self.under_way)
    @rule(outcome=st.sampled_from(["succeeded", "failed", "gave_up"]))
    def end(self, outcome: str) -> None:
        self.under_way -= 1
        if outcome == "failed":
            self.breaker.failed(self.now)
        else:
            getattr(self.breaker, outcome)()

    @invariant()
    def is_not_stuck(self) -> None:
        if not self.under_way:
            assert self.breaker.may_pass(self.now + PAUSE_S)
            self.breaker.gave_up()


TestNeverStuck = NeverStuck.TestCase
