"""Who may read an answer that was given, by what its policies say today."""

from collections.abc import Collection, Mapping
from types import SimpleNamespace
from typing import Any, cast

import pytest

from bot.actions.answers import ReplyAccess
from core.language.spans import VersionId


class Audiences:
    """Says of each version the sets of groups of which a reader must be in each."""

    def __init__(self, *audiences: str) -> None:
        self._audiences = tuple(frozenset(each.split()) for each in audiences)

    async def audiences(
        self, versions: Collection[VersionId], /
    ) -> Mapping[VersionId, tuple[frozenset[str], ...]]:
        return dict.fromkeys(versions, self._audiences) if self._audiences else {}


@pytest.mark.parametrize(
    ("audiences", "groups", "needed"),
    [
        (("everyone", "everyone"), "", {"everyone"}),
        (("everyone", "board"), "", None),
        (("board", "everyone"), "", None),
        (("everyone", "board"), "board", {"everyone", "board"}),
        (("finance", "board"), "board", None),
        (("finance legal", "board"), "legal board", {"legal", "board"}),
        ((), "board", None),
    ],
)
async def test_an_answer_is_read_by_whom_each_audience_holds(
    audiences: tuple[str, ...], groups: str, needed: set[str] | None
) -> None:
    """That of the text, and that of today's version; a version that is not there is for nobody."""
    span = SimpleNamespace(version_id=VersionId(1))
    answer = SimpleNamespace(citations=[SimpleNamespace(span=span)])
    found = SimpleNamespace(reply=SimpleNamespace(answer=answer))
    access = ReplyAccess(cast("Any", Audiences(*audiences)), cast("Any", None))
    assert await access.may_be_read(cast("Any", found), groups.split()) == needed
