"""A repository that is followed: rewritten, with links and pointers, after a kill."""

import os
import subprocess
from pathlib import Path

import pytest

from core.adapters.sources.git import GitConnector
from core.config.settings import inherited
from core.domain.errors import ConfigError, DocumentError
from core.sources.connector import ChangePage, ListingEnd, SourceItem

POINTER = "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n"
SUBMODULE = "160000,1111111111111111111111111111111111111111,vendor"


def git(folder: Path, *words: str) -> None:
    """Run `git`, apart from its user's configuration."""
    subprocess.run(  # noqa: S603
        ["git", "-c", "user.name=Tester", "-c", "user.email=tester@example.com", *words],  # noqa: S607
        cwd=folder,
        check=True,
        capture_output=True,
        env={
            **inherited("PATH", "HOME"),
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_NOSYSTEM": "1",
        },
    )


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Two policies, a link out of it, a pointer to a large file, a submodule and a picture."""
    found = tmp_path / "repository"
    (found / "policies").mkdir(parents=True)
    (tmp_path / "secret.md").write_text("# Secret")
    for name in ("gifts.md", "policies/travel.md", "logo.png"):
        (found / name).write_text("# Text")
    (found / "large.md").write_text(POINTER)
    (found / "link.md").symlink_to(tmp_path / "secret.md")
    git(found, "init", "--quiet", "--initial-branch=main")
    git(found, "add", "--all")
    git(found, "update-index", "--add", "--cacheinfo", SUBMODULE)
    git(found, "commit", "--quiet", "--message", "Begin.")
    return found


def following(repository: Path, *, folder: str = "") -> GitConnector:
    """Follow it, with a checkout beside it."""
    return GitConnector(
        url=repository.as_uri(),
        branch="main",
        folder=folder,
        checkout=repository.parent / "checkout",
        token=None,
    )


async def listed(connector: GitConnector) -> tuple[dict[str, SourceItem], set[str], ListingEnd]:
    """Return documents by path, files that are none, and the end."""
    items: dict[str, SourceItem] = {}
    others: set[str] = set()
    async for part in connector.changes(since=None, cursor=None):
        if isinstance(part, ListingEnd):
            return items, others, part
        assert isinstance(part, ChangePage)
        items |= {one.path: one for one in part.items}
        others |= {one.path for one in part.others}
    raise AssertionError("a listing has an end")


async def test_what_is_no_text_of_the_repository_is_said(repository: Path) -> None:
    """A link, a pointer to a large file; a submodule holds nothing here, a picture is counted."""
    connector = following(repository)
    items, others, end = await listed(connector)
    assert set(items) == {"gifts.md", "policies/travel.md", "large.md", "link.md"}
    assert (others, end.is_whole) == ({"logo.png"}, True)
    assert "a link is not followed" in str(items["link.md"].problem)
    with pytest.raises(DocumentError, match="Git LFS keeps it elsewhere"):
        await connector.fetch(items["large.md"])
    assert await connector.fetch(items["gifts.md"]) == b"# Text"
    with pytest.raises(ConfigError, match=r"branch main, has no folder 'rules': check its name"):
        await listed(following(repository, folder="rules"))


async def test_history_that_is_rewritten_and_a_branch_that_vanishes(repository: Path) -> None:
    """The branch as it is now counts; without it the message says what to check."""
    before, _, end = await listed(following(repository))
    (repository / "gifts.md").write_text("# Other")
    git(repository, "commit", "--quiet", "--all", "--amend", "--message", "Rewritten.")
    after, _, rewritten = await listed(following(repository))
    assert end.token != rewritten.token
    assert {one for one in after if after[one].version != before[one].version} == {"gifts.md"}
    git(repository, "branch", "--move", "other")
    with pytest.raises(ConfigError, match="check address, branch and access"):
        await listed(following(repository))


async def test_what_a_kill_left_behind(repository: Path) -> None:
    """Locks are taken away, and half a checkout is begun anew: never the repository around it."""
    home = repository.parent
    (home / "kept.txt").write_text("not ours")
    git(home, "init", "--quiet", "--initial-branch=main")
    await listed(following(repository))
    kept = home / "checkout" / ".git"
    for name in ("index.lock", "shallow.lock", "HEAD.lock"):
        (kept / name).touch()
    assert len((await listed(following(repository)))[0]) == 4
    (kept / "HEAD").unlink()
    assert len((await listed(following(repository)))[0]) == 4
    assert (home / "kept.txt").read_text() == "not ours"
