"""`GitConnector`: a branch of a Git repository, fetched into a folder of ours.

The `git` of this machine is run with nothing of its owner's configuration: no hooks, filters,
helpers or prompts, no submodules, no links, and only transports that can't run a program of the
repository's choosing. A token for HTTPS is handed over in the environment, never as an argument.
"""

import asyncio
import base64
import os
import re
import shutil
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from core.adapters.sources.folder import FolderConnector, pages_of
from core.config.settings import inherited
from core.domain.errors import ConfigError, CredentialError, DocumentError, TransientError
from core.sources.connector import ChangePage, ListingEnd, SourceItem

WITHIN_S = 600.0
"""How long one command may take."""
_PLAIN: Mapping[str, str] = {
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_ALLOW_PROTOCOL": "https:ssh:file",
    "GIT_LFS_SKIP_SMUDGE": "1",
    "GIT_SSH_COMMAND": "ssh -o BatchMode=yes",
    "LC_ALL": "C",
}
_INHERITED = ("PATH", "HOME", "SSH_AUTH_SOCK", "HTTPS_PROXY", "https_proxy", "NO_PROXY", "no_proxy")
_LINK = "120000"
"""How a tree marks links; the checkout has them as files that hold where they lead."""
_POINTER = b"version https://git-lfs.github.com/spec/"
_OPTIONS = ("-c", "core.hooksPath=/dev/null", "-c", "core.symlinks=false", "-c", "core.fsmonitor=")
_MISSING = re.compile(
    r"not found|does not exist|could not read Username|Authentication failed|Permission denied"
    r"|couldn't find remote ref|Remote branch .{1,200} not found|not appear to be a git repository",
    re.IGNORECASE,
)
"""What `git` says of what waiting does not mend; all else is held for a moment's failure."""
_REFUSED = re.compile("could not read Username|Authentication failed|Permission denied")


class GitConnector:
    """See `Connector`. A document's identity is its path; a token is a commit."""

    def __init__(
        self, *, url: str, branch: str, folder: str, checkout: Path, token: str | None
    ) -> None:
        """Run nothing yet.

        Args:
            url: of the repository, without credentials.
            branch: which is followed.
            folder: the part of it that is read; empty: all of it.
            checkout: a folder of ours, made where it is not there.
            token: for HTTPS; None: it is public, or SSH has a key.
        """
        self._url = url
        self._branch = branch
        self._checkout = checkout
        self._token = token
        self._folder = FolderConnector(checkout / folder)

    @property
    def access(self) -> None:
        """See `Connector.access`. Manifests say who may read."""
        return None

    async def check(self) -> str:
        """See `Connector.check`. Nothing is fetched."""
        await asyncio.to_thread(self._checkout.mkdir, parents=True, exist_ok=True, mode=0o700)
        said = await self._git("ls-remote", "--", self._url, f"refs/heads/{self._branch}")
        if not said:
            raise ConfigError(f"{self._url} has no branch {self._branch}: check its name")
        return f"branch {self._branch} is at {said[:12]}"

    async def changes(
        self, *, since: str | None, cursor: str | None
    ) -> AsyncIterator[ChangePage | ListingEnd]:
        """See `Connector.changes`."""
        commit = await self._fetched()
        if commit == since and cursor is None:
            yield ListingEnd(token=commit, is_whole=False)
            return
        blobs = await self._blobs()
        prefix = self._prefix()
        if not await asyncio.to_thread(self._folder.root.is_dir):
            raise ConfigError(
                f"{self._url}, branch {self._branch}, has no folder {prefix.rstrip('/')!r}: check"
                " its name"
            )
        listed = await asyncio.to_thread(self._folder.listed)
        for page in pages_of(listed):
            items = [_as_committed(item, blobs.get(prefix + item.path)) for item in page.items]
            yield replace(page, items=tuple(items))
        yield ListingEnd(token=commit, is_whole=listed.is_whole)

    async def fetch(self, item: SourceItem, /) -> bytes:
        """See `Connector.fetch`."""
        data = await self._folder.fetch(item)
        if data.startswith(_POINTER):
            raise DocumentError(
                "Git LFS keeps it elsewhere, and here is but a pointer to it: commit it itself"
            )
        return data

    async def is_there(self, item_id: str, /) -> bool:
        """See `Connector.is_there`."""
        return await self._folder.is_there(item_id)

    async def _fetched(self) -> str:
        """Bring the checkout to the newest commit, and return that."""
        if not await asyncio.to_thread(self._is_sound):
            await asyncio.to_thread(shutil.rmtree, self._checkout, ignore_errors=True)
            await asyncio.to_thread(self._checkout.mkdir, parents=True, mode=0o700)
            await self._git("init", "--quiet")
        ref = f"refs/heads/{self._branch}"
        await self._git("fetch", "--quiet", "--depth=1", "--no-tags", "--", self._url, ref)
        await self._git("reset", "--quiet", "--hard", "FETCH_HEAD")
        await self._git("clean", "--quiet", "-ffdx")
        return (await self._git("rev-parse", "HEAD")).strip()

    def _is_sound(self) -> bool:
        """Say whether there is a checkout; take away what a killed `git` has locked. Blocks.

        Nobody else is at it: each source has a lease.
        """
        kept = self._checkout / ".git"
        if not (kept / "HEAD").is_file():
            return False
        for lock in kept.glob("*.lock"):
            lock.unlink(missing_ok=True)
        return True

    async def _blobs(self) -> "dict[str, _Blob]":
        """Return what is committed, by path."""
        listed = await self._git("ls-tree", "-r", "-z", "HEAD")
        found: dict[str, _Blob] = {}
        for line in listed.split("\0"):
            described, _, path = line.partition("\t")
            if path:
                mode, _, rest = described.partition(" ")
                found[path] = _Blob(sha=rest.rsplit(" ", 1)[-1], is_link=mode == _LINK)
        return found

    def _prefix(self) -> str:
        folder = self._folder.root.relative_to(self._checkout.absolute()).as_posix()
        return "" if folder == "." else f"{folder}/"

    async def _git(self, *arguments: str) -> str:
        """Run `git` in the checkout.

        Raises:
            ConfigError: It is not installed, or the repository can't be read as it is set up.
            TransientError: It failed otherwise.
        """
        try:
            process = await asyncio.create_subprocess_exec(
                "git",
                f"--git-dir={self._checkout.absolute() / '.git'}",
                f"--work-tree={self._checkout.absolute()}",
                *_OPTIONS,
                *arguments,
                cwd=self._checkout,
                env=self._environment(),
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
            )
        except FileNotFoundError as error:
            raise ConfigError("git is not installed: install it, or use a folder") from error
        try:
            async with asyncio.timeout(WITHIN_S):
                out, err = await process.communicate()
        except BaseException as error:
            process.kill()
            await process.wait()
            if isinstance(error, TimeoutError):
                raise TransientError(f"git took longer than {WITHIN_S:.0f} s") from error
            raise
        if process.returncode:
            raise self._failure(err.decode(errors="replace"))
        return out.decode(errors="replace")

    def _failure(self, said: str) -> ConfigError | TransientError:
        lines = [line.strip() for line in said.splitlines() if line.strip()]
        line = next(
            (one for one in lines if one.startswith("fatal:")), (lines or ["git failed"])[0]
        )
        if self._token:
            line = line.replace(self._token, "...")
        if _MISSING.search(said):
            failed = (
                f"{self._url}, branch {self._branch}: {line[:200]}: check address, branch and"
                " access"
            )
            refused = _REFUSED.search(said)
            return CredentialError(failed, cause=refused[0]) if refused else ConfigError(failed)
        return TransientError(f"{self._url}: {line[:200]}")

    def _environment(self) -> dict[str, str]:
        given = {**inherited(*_INHERITED), **_PLAIN}
        if self._token and self._url.startswith("https://"):
            basic = base64.b64encode(f"x-access-token:{self._token}".encode()).decode()
            given |= {
                "GIT_CONFIG_COUNT": "1",
                "GIT_CONFIG_KEY_0": f"http.{self._url}.extraHeader",
                "GIT_CONFIG_VALUE_0": f"Authorization: Basic {basic}",
            }
        return given


@dataclass(frozen=True, slots=True)
class _Blob:
    """A file as it is committed."""

    sha: str
    """Hash of its content."""
    is_link: bool
    """True: that is the place where a link leads."""


def _as_committed(item: SourceItem, blob: _Blob | None) -> SourceItem:
    """Return the item with a version that is the same on every machine; a link is no document."""
    told = item.version.rsplit(":", 1)[-1]
    is_link = blob is not None and blob.is_link
    return replace(
        item,
        version=f"{blob.sha if blob else None}:{told}",
        problem="a link is not followed: name the file that it leads to"
        if is_link
        else item.problem,
    )
