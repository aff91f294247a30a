"""The folders of a source in Google Drive, and where each file lies in them."""

from collections.abc import Mapping

from core.adapters.sources.drive.files import FOLDER, DriveFile, DriveFiles
from core.adapters.sources.json_values import path_part
from core.domain.errors import TransientError

FOLDERS = 20_000
"""Of one source; more are rather a loop."""
DEPTH = 100


class DriveTree:
    """Remembers folders while a source is read."""

    def __init__(self, files: DriveFiles, *, folder: str) -> None:
        """Read nothing yet; `folder` is the one that is followed."""
        self._files = files
        self._folder = folder
        self._root: DriveFile | None = None
        self._folders: Mapping[str, DriveFile] = {}

    async def root(self) -> DriveFile:
        """Return the folder that is followed; see `DriveFiles.root`."""
        if self._root is None:
            self._root = await self._files.root(self._folder)
        return self._root

    async def drive(self) -> str | None:
        """Return the shared drive that it lies in; None: none."""
        return (await self.root()).drive

    async def listed(self, *, folders_only: bool = False) -> list[DriveFile]:
        """Go through all folders; return the files in them, by identity."""
        root = await self.root()
        folders, files, level = {root.id: root}, dict[str, DriveFile](), [root.id]
        while level:
            found = await self._files.within(level, drive=root.drive, folders_only=folders_only)
            new = {one.id: one for one in found if one.kind == FOLDER and one.id not in folders}
            files |= {one.id: one for one in found if one.kind != FOLDER}
            folders |= new
            level = list(new)
            if len(folders) > FOLDERS:
                raise TransientError(f"the folder holds more than {FOLDERS} folders")
        self._folders = folders
        return sorted(files.values(), key=lambda one: one.id)

    def holds(self, file: DriveFile) -> bool:
        """Return whether a file lies in one of the folders."""
        return file.is_there and any(one in self._folders for one in file.parents)

    def path(self, file: DriveFile, name: str) -> str:
        """Return where a file lies below the folder that is followed, under a name."""
        parts, above = [path_part(name)], file.parents
        while len(parts) < DEPTH:
            folder = next((one for one in above if one in self._folders), None)
            if folder is None or folder == self._folder:
                break
            parts.append(path_part(self._folders[folder].name))
            above = self._folders[folder].parents
        return "/".join(reversed(parts))
