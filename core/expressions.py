"""Regular expressions that are compiled when they are first used.

Of a thousand a question uses some two hundred, and to compile the others took as long as to import
the rest of what answers it.
"""

import re
from typing import Any, cast


def expression(words: str, flags: int = 0) -> re.Pattern[str]:
    """Return what `re.compile` returns, compiled at its first use."""
    return cast("re.Pattern[str]", LateExpression(words, flags))


class LateExpression:
    """Stands in for a `re.Pattern`, and has all that it has."""

    def __init__(self, words: str, flags: int) -> None:
        self._words, self._flags = words, flags

    def __getattr__(self, name: str) -> Any:
        """Compile, and keep the methods, so that later calls go straight to them."""
        if name.startswith("_"):
            raise AttributeError(name)
        compiled = re.compile(self._words, self._flags)
        vars(self).update({n: getattr(compiled, n) for n in dir(compiled) if n[0] != "_"})
        return getattr(compiled, name)
