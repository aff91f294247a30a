"""Places at which a test kills the process, to show that nothing is lost there.

Armed by `config.Settings.failpoint` alone, which production refuses; a no-op otherwise. The lowest
layer of all, so that any step may name the moment it has reached.
"""

import os
import signal

NAMES = ("F1", "F2", "F3", "F4", "F5", "F6", "F7", "F8", "F9", "F12", "F13")
"""Before the inbox row; after it, before commit; committed, not acknowledged; lease taken; during
a model call; run done, not recorded; recorded, not posted; posted, the platform's answer lost; the
answer read, not marked. F12: a refresh token exchanged, the new tokens not stored.
F13: officers reminded of a case, not committed."""

_armed: list[str] = []


def arm(name: str | None) -> None:
    """Let the process end at the next passage of a failpoint; None disarms."""
    _armed[:] = [name] if name else []


def failpoint(name: str) -> None:
    """End this process at once, as `kill -9` does, if the failpoint is armed."""
    if name in _armed:
        os.kill(os.getpid(), signal.SIGKILL)
