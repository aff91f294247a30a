"""`citebound sources`, as an operator types it."""

import json
from pathlib import Path

import pytest

from tests.acceptance.cli.conftest import Run


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with two policies."""
    found = tmp_path / "house"
    found.mkdir()
    for name in ("gifts", "travel"):
        (found / f"{name}.md").write_text(
            f"# {name.title()} Policy\n\n## 1 Limits\n\n1.1 Employees may spend up to EUR 50.\n"
        )
    return found


def test_a_folder_from_beginning_to_end(citebound: Run, folder: Path) -> None:
    """Followed, read, changed, withdrawn by hand, forgotten."""
    assert "no source is followed" in citebound("sources", "list").out
    added = citebound("sources", "add", "folder", "house", str(folder), "--every", "15m")
    assert added.code == 0
    assert "citebound sources sync house" in added.out

    synced = citebound("sources", "sync")
    assert synced.code == 0
    assert "added     gifts.md: Gifts Policy" in synced.out
    (folder / "travel.md").unlink()
    (folder / "scan.pdf").write_bytes(b"%PDF-1.4 nothing")
    (folder / "hall.jpg").write_bytes(b"a picture")
    again = citebound("sources", "sync", "house", "--json")
    assert again.code == 1
    report = json.loads(again.out)["house"]
    assert (report["failed"], report["unchanged"], report["held_back"]) == (1, 1, ["travel"])
    assert report["others"] == 1
    assert citebound("sources", "show", "house", "--others").out == "hall.jpg\n"

    third = citebound("sources", "sync", "house")
    assert "house: 1 document can't be read: `citebound sources show house`" in third.out

    listed = citebound("sources", "list").out
    assert "1 failed, 1 gone, 1 stored" in listed
    shown = json.loads(citebound("sources", "show", "house", "--json").out)
    assert {one["path"]: one["state"] for one in shown} == {
        "gifts.md": "stored",
        "scan.pdf": "failed",
        "travel.md": "gone",
    }
    refused = citebound("sources", "withdraw", "house")
    assert refused.code == 2
    assert "--yes" in refused.err
    assert "1 withdrawn" in citebound("sources", "withdraw", "house", "--yes").out
    assert "nothing is gone" in citebound("sources", "withdraw", "house", "--yes").out
    assert "travel" not in citebound("corpus", "list").out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("add", "folder", "House", "."), "lower-case letters"),
        (("add", "folder", "house", "none"), "there is no folder"),
        (("add", "folder", "house", ".", "--every", "soon"), "a time like 15m"),
        (("add", "folder", "house", ".", "--branch", "x"), "--branch is for git"),
        (("add", "git", "house", "https://host/x.git", "--space", "HR"), "is for confluence"),
        (("add", "git", "house", "https://host/x.git", "--shared-links", "nobody"), "and drive"),
        (("add", "drive", "house", "https://drive.google.com/file/d/1"), "drive/folders/ID"),
        (("add", "drive", "house", "0ABCDEFGHIJ", "--everyone", "a b"), "apart by commas"),
        (
            ("add", "confluence", "hr", "http://host/wiki", "--space", "HR"),
            "an address like https:",
        ),
        (("add", "confluence", "hr", "https://host/wiki"), "--space with the key"),
        (
            ("add", "confluence", "hr", "https://me:secret@host/wiki", "--space", "HR"),
            "CITEBOUND_SOURCE_NAME_TOKEN",
        ),
        (("add", "git", "house", "ext::sh -c id"), "an address like https://"),
        (("add", "git", "house", "https://me:secret@host/x.git"), "CITEBOUND_SOURCE_NAME_TOKEN"),
        (("add", "git", "house", "https://host/x.git?access_token=secret"), "behind a ?"),
        (
            ("add", "sharepoint", "house", "https://:secret@contoso.sharepoint.com/sites/HR"),
            "CITEBOUND_SOURCE_NAME_TOKEN",
        ),
        (("add", "git", "house", "https://host/x.git", "--branch=-x"), "name of a branch"),
        (
            ("add", "git", "house", "https://host/x.git", "--folder", "../x"),
            "in the repository",
        ),
        (("sync", "none"), "there is no source 'none'"),
        (("show", "none"), "there is no source 'none'"),
        (("remove", "none"), "there is no source 'none'"),
    ],
)
def test_what_can_not_be_is_refused(citebound: Run, words: tuple[str, ...], said: str) -> None:
    """One line with cause and cure, nothing stored, and no secret repeated."""
    done = citebound("sources", *words)
    assert done.code == 2
    assert said in done.err
    assert "secret" not in done.err


def test_a_name_is_given_once_and_a_source_forgotten(
    citebound: Run, folder: Path, tmp_path: Path
) -> None:
    """A second source of one name is refused; whoever forgets one says what becomes of policies."""
    (folder / "travel.md").unlink()
    citebound("sources", "add", "folder", "house", str(folder))
    again = citebound("sources", "add", "folder", "house", str(folder))
    assert again.code == 2
    assert "already" in again.err
    citebound("sources", "sync")
    unsaid = citebound("sources", "remove", "house")
    assert (unsaid.code, "house holds 1 policy: add --keep" in unsaid.err) == (2, True)
    assert citebound("sources", "remove", "house", "--withdraw").code == 2
    assert citebound("sources", "remove", "house", "--keep", "--withdraw").code == 2
    checkout = tmp_path / "home" / "sources" / "house"
    checkout.mkdir(parents=True)
    kept = citebound("sources", "remove", "house", "--keep")
    assert not checkout.exists(), "the texts of a repository would stay behind"
    assert kept.code == 0
    assert "its 1 policy stays in force" in kept.out
    assert "gifts" in citebound("corpus", "list").out
    citebound("sources", "add", "folder", "house", str(folder))
    citebound("sources", "sync")
    done = citebound("sources", "remove", "house", "--withdraw", "--yes")
    assert (done.code, "withdrawn from today" in done.out) == (0, True)
    assert "gifts" not in citebound("corpus", "list").out
    assert "no source says who may read" in citebound("corpus", "readers").out
    assert citebound("corpus", "readers", "gifts").code == 2
    assert citebound("corpus", "readers", "--lift", "--yes").code == 2
