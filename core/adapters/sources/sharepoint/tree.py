"""`FolderTree`: the folders of a library, by which documents get their paths.

A feed of changes names an item's parent by its id alone, and says nothing of what lies in a folder
that was renamed or moved. So the folders are remembered from listing to listing: they tell where a
document lies, and whether one of them has changed its place.
"""

import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, cast

from core.adapters.sources.json_values import object_of, text_of
from core.adapters.sources.sharepoint.library import LibraryIds
from core.domain.codec import json_of

DEEPEST = 400
"""Folders within folders: a path in SharePoint has at most 400 characters."""

FORM = 2
"""Of what is kept between two listings: another one begins anew, and so learns what it told less
of, as files that are not read."""
Known = Mapping[str, Any]
"""What Graph says of an item."""


@dataclass(slots=True)
class FolderTree:
    """Folders by id, each with its name and the id of the folder that it lies in."""

    folders: dict[str, tuple[str, str]] = field(default_factory=dict[str, tuple[str, str]])
    """The root has no name and lies in nothing."""

    def put(self, folder: Known) -> bool:
        """Remember a folder; True if it was not known by this name in this place."""
        name, parent = text_of(folder.get("name")), parent_of(folder)
        now = ("", "") if "root" in folder or not parent else (name, parent)
        folder_id = text_of(folder.get("id"))
        before = self.folders.get(folder_id)
        self.folders[folder_id] = now
        return before != now

    async def path(
        self, item: Known, *, scope: str, look_up: Callable[[str], Awaitable[Known | None]]
    ) -> str | None:
        """Return where an item lies below a folder; None: it does not.

        Args:
            item: a file or a folder.
            scope: the folder, by its id.
            look_up: returns a folder that is not remembered; None: it is gone.
        """
        parts, above = [text_of(item.get("name"))], parent_of(item)
        for _ in range(DEEPEST):
            if above == scope:
                return "/".join(reversed(parts))
            if above not in self.folders:
                found = await look_up(above) if above else None
                if found is None:
                    return None
                self.put({**found, "id": above})
            name, above = self.folders[above]
            parts.append(name)
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class DeltaState:
    """How far a listing is, as it is kept between two calls."""

    drive: str
    """See `LibraryIds.drive`."""
    scope: str
    """See `LibraryIds.scope`."""
    link: str
    """The address of the next page, or of the next changes; empty: the beginning."""
    is_whole: bool
    """True: everything is listed, not only changes."""
    folders: Mapping[str, tuple[str, str]]
    """See `FolderTree.folders`."""

    @classmethod
    def new(cls, ids: LibraryIds) -> "DeltaState":
        """Return the beginning of a listing of everything."""
        return cls(drive=ids.drive, scope=ids.scope, link="", is_whole=True, folders={})

    def at(self, link: str, tree: FolderTree, *, is_whole: bool) -> "DeltaState":
        """Return the same, further on."""
        return replace(self, link=link, is_whole=is_whole, folders=dict(tree.folders))

    def text(self) -> str:
        """Return it as text."""
        said = json_of(self, "form drive scope link whole=is_whole folders", form=FORM)
        return json.dumps(said, ensure_ascii=False, separators=(",", ":"))


def read_state(text: str | None, ids: LibraryIds) -> DeltaState | None:
    """Return a listing that was kept; None: there is none, or it is of another place."""
    try:
        told = object_of(json.loads(text or "null"))
        folders = {
            str(one): (str(place[0]), str(place[1]))
            for one, place in cast("dict[str, Any]", told.get("folders") or {}).items()
        }
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError):
        return None
    where = told.get("form"), told.get("drive"), told.get("scope")
    if not told.get("link") or where != (FORM, ids.drive, ids.scope):
        return None
    return DeltaState(
        drive=ids.drive,
        scope=ids.scope,
        link=str(told["link"]),
        is_whole=told.get("whole") is not False,
        folders=folders,
    )


def parent_of(item: Known) -> str:
    """Return the id of the folder that an item lies in; empty: none is named."""
    return text_of(object_of(item.get("parentReference")).get("id"))
