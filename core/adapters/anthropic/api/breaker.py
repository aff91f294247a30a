"""A circuit breaker: after many failures in a row, fail at once instead of waiting: pure.

Closed: calls pass. After `failures` failures in a row it is open for `pause_s`: nothing passes.
Then it is half open: one call passes as a probe, and its outcome closes or opens it again.
"""


class Breaker:
    """Guards one model. Time is given, in seconds of the monotonic clock."""

    def __init__(self, *, failures: int = 5, pause_s: float = 30.0) -> None:
        """Begin closed.

        Args:
            failures: In a row, until it opens; from 1.
            pause_s: How long it stays open.
        """
        self._limit = failures
        self._pause_s = pause_s
        self._failed = 0
        self._opened_s: float | None = None
        self._is_probing = False

    def may_pass(self, now_s: float) -> bool:
        """Say whether a call may be made. Each True wants one of the three methods below."""
        if self._opened_s is None:
            return True
        if self._is_probing or now_s < self._opened_s + self._pause_s:
            return False
        self._is_probing = True
        return True

    def succeeded(self) -> None:
        """The service answered, be it with a refusal."""
        self._failed, self._opened_s, self._is_probing = 0, None, False

    def failed(self, now_s: float) -> None:
        """The service failed in a way that may pass."""
        self._failed += 1
        if self._is_probing or self._failed >= self._limit:
            self._opened_s = now_s
        self._is_probing = False

    def gave_up(self) -> None:
        """The call ended before it could tell: another one may probe."""
        self._is_probing = False
