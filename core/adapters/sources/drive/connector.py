"""`DriveConnector`: the documents of a folder in Google Drive, or of a shared drive.

Once they were listed, the service's own list of changes says which documents are new, changed,
moved or gone. It says nothing of what lies in a folder that was moved, or that we may see no more;
then, and once a day, everything is listed.
"""

import json
import time
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import PurePosixPath

from core.adapters.sources.drive.access import DriveAccess
from core.adapters.sources.drive.files import (
    EDITORS,
    FOLDER,
    OF_GOOGLE,
    SHORTCUT,
    DriveChange,
    DriveFile,
    DriveFiles,
)
from core.adapters.sources.drive.tree import DriveTree
from core.adapters.sources.json_values import remembered
from core.domain.codec import json_of
from core.domain.errors import DocumentError
from core.domain.policy import ENDINGS, READABLE
from core.ingest.file_kinds import FileKind, kind_of, unread_reason
from core.ingest.load import MAX_BYTES
from core.ingest.prepare import Overrides
from core.sources.connector import ChangePage, ListingEnd, OtherItem, SourceItem

A_PAGE = 100
"""Documents of a page."""
WHOLE_EVERY = timedelta(days=1)
"""How often everything is listed, whatever the changes say."""
_TEXTS_OF_GOOGLE = frozenset(["document", "spreadsheet", "presentation", "site"])
"""What Google's own editors make that may hold a policy; others draw, ask, or show maps."""
_BY_KIND: dict[str, str] = {kind: ending for ending, kind in reversed([*ENDINGS.items()])}
"""How a file ends whose name says nothing, by its media type."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Listing:
    """How far listings have come, as tokens and cursors say it."""

    changes: str
    """The service's token of what changed since it began."""
    whole: datetime
    """When the last whole one began."""
    after: str | None = None
    """The last document of a whole one that was worked through; None: none."""

    def text(self) -> str:
        """Return it as it is remembered."""
        return json.dumps(json_of(self))


class DriveConnector:
    """See `Connector`. A document's identity is that of its file, wherever it is moved."""

    def __init__(
        self,
        files: DriveFiles,
        *,
        folder: str,
        everyone: frozenset[str] = frozenset(),
        links_count: bool = False,
        with_access: bool = True,
    ) -> None:
        """Call nothing yet.

        Args:
            files: what is read.
            folder: identity of the folder or shared drive.
            everyone: domains, and addresses of groups, that stand for everyone of the organisation.
            links_count: True: what is shared by a link with everyone is for everyone.
            with_access: False: whom it is shared with does not count.
        """
        self._files = files
        self._tree = DriveTree(files, folder=folder)
        self._pages: set[str] = set()
        self._access = (
            DriveAccess(files, self._tree, everyone=everyone, links_count=links_count)
            if with_access
            else None
        )

    @property
    def access(self) -> DriveAccess | None:
        """See `Connector.access`."""
        return self._access

    async def check(self) -> str:
        """See `Connector.check`."""
        root = await self._tree.root()
        found = f"the folder {root.name!r} can be read"
        if self._access is None:
            return found
        try:
            await self._files.sharing(root.id)
        except DocumentError as error:
            return f"{found}, but {error}"
        return found

    async def changes(
        self, *, since: str | None, cursor: str | None
    ) -> AsyncIterator[ChangePage | ListingEnd]:
        """See `Connector.changes`. A listing of changes that broke off begins anew."""
        last, begun = remembered(_Listing, since), remembered(_Listing, cursor)
        now = datetime.fromtimestamp(int(time.time()), UTC)
        drive = await self._tree.drive()
        if last is not None and begun is None and now - last.whole < WHOLE_EVERY:
            found = await self._files.changes(last.changes, drive=drive)
            if found is not None and not any(_is_of_folders(one) for one in found[0]):
                async for page in self._changed(found[0]):
                    yield page
                yield ListingEnd(token=replace(last, changes=found[1]).text(), is_whole=False)
                return
        listing = begun or _Listing(changes=await self._files.now(drive=drive), whole=now)
        files = await self._tree.listed()
        left = [one for one in files if listing.after is None or one.id > listing.after]
        for first in range(0, len(left), A_PAGE):
            page = left[first : first + A_PAGE]
            listing = replace(listing, after=page[-1].id)
            yield self._page(page, cursor=listing.text())
        yield ListingEnd(token=replace(listing, after=None).text(), is_whole=True)

    async def _changed(self, changes: list[DriveChange]) -> AsyncIterator[ChangePage]:
        if not changes:
            return
        await self._tree.listed(folders_only=True)
        files = [one.file for one in changes if one.file is not None]
        here = [one for one in files if self._tree.holds(one)]
        gone = [one.id for one in files if not self._tree.holds(one)]
        for first in range(0, len(here), A_PAGE):
            yield self._page(here[first : first + A_PAGE], cursor=None)
        yield ChangePage(gone=tuple(gone))

    def _page(self, files: Sequence[DriveFile], *, cursor: str | None) -> ChangePage:
        kinds = {one.id: _kind_of(one) for one in files}
        read = [one for one in files if kinds[one.id] in {FileKind.READ, FileKind.UNREAD}]
        others = [one for one in files if kinds[one.id] is FileKind.OTHER]
        return ChangePage(
            items=tuple(map(self._item, read)),
            others=tuple(
                OtherItem(item_id=one.id, path=self._tree.path(one, one.name)) for one in others
            ),
            gone=tuple(one.id for one in files if kinds[one.id] is FileKind.ASIDE),
            cursor=cursor,
        )

    def _item(self, file: DriveFile) -> SourceItem:
        if file.kind == _HTML or ENDINGS.get(PurePosixPath(file.name.lower()).suffix) == _HTML:
            self._pages.add(file.id)
        return SourceItem(
            item_id=file.id,
            path=self._tree.path(file, _name_of(file)),
            version=file.version,
            given=Overrides(url=_address_of(file)),
            problem=_problem_of(file),
        )

    async def fetch(self, item: SourceItem, /) -> bytes:
        """See `Connector.fetch`."""
        is_made = (item.given.url or "").startswith(_OF_EDITORS)
        made = ENDINGS[PurePosixPath(item.path).suffix] if is_made else None
        is_page = item.item_id in self._pages
        return await self._files.content(item.item_id, made=made, is_page=is_page)

    async def is_there(self, item_id: str, /) -> bool:
        """See `Connector.is_there`."""
        file = await self._files.file(item_id)
        if file is None or not file.is_there:
            return False
        await self._tree.listed(folders_only=True)
        return self._tree.holds(file)


_HTML = "text/html"
_OF_EDITORS = "https://docs.google.com/"


def _is_of_folders(change: DriveChange) -> bool:
    """Return whether a change may concern files that the service does not name."""
    return change.file is None or change.file.kind == FOLDER


def _kind_of(file: DriveFile) -> FileKind:
    """Return what a file may be: by its name, or where that has no ending by its media type."""
    if file.kind == SHORTCUT:
        return FileKind.UNREAD
    if file.kind.startswith(OF_GOOGLE):
        is_text = file.kind.removeprefix(OF_GOOGLE) in _TEXTS_OF_GOOGLE
        return FileKind.UNREAD if is_text else FileKind.OTHER
    kind = kind_of(_name_of(file))
    is_medium = file.kind.partition("/")[0] in {"image", "audio", "video", "font"}
    has_ending = bool(PurePosixPath(file.name).suffix)
    return FileKind.OTHER if is_medium and kind is FileKind.UNREAD and not has_ending else kind


def _name_of(file: DriveFile) -> str:
    """Return the name of a file, with the ending of what we are given."""
    if file.kind in EDITORS:
        return f"{file.name}{EDITORS[file.kind][1]}"
    if PurePosixPath(file.name).suffix.lower() in ENDINGS:
        return file.name
    return f"{file.name}{_BY_KIND.get(file.kind, '')}"


def _address_of(file: DriveFile) -> str:
    if file.kind in EDITORS:
        return f"{_OF_EDITORS}{EDITORS[file.kind][0]}/d/{file.id}/edit"
    return f"https://drive.google.com/file/d/{file.id}/view"


def _problem_of(file: DriveFile) -> str | None:
    """Return why a file is not read; None: it is."""
    if file.kind == SHORTCUT:
        return "a shortcut is not followed: move the document itself here, or follow its folder"
    if file.kind.startswith(OF_GOOGLE) and file.kind not in EDITORS:
        what = file.kind.removeprefix(OF_GOOGLE)
        return f"a Google {what} is not read: save it as {READABLE}"
    if not file.may_download:
        return "downloading it is switched off: allow it in the sharing settings of the file"
    if file.size > MAX_BYTES:
        return (
            f"{file.size >> 20} MB is over the limit of {MAX_BYTES >> 20} MB: split it or leave out"
            " images"
        )
    name = _name_of(file)
    return None if kind_of(name) is FileKind.READ else unread_reason(name)
