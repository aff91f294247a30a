"""Progress that nobody sees."""

from core.ports import Progress, Progressed


class _Unheard:
    """See `core.ports.Progress`; shows nothing."""

    def report(self, progressed: Progressed, /) -> None:
        """See `Progress.report`."""


UNHEARD: Progress = _Unheard()
"""For runs that nobody watches."""
