"""Which files are ingested, in which order, and what a manifest may say."""

import dataclasses
import os
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from core.domain.errors import EmptyCorpusError, UsageError
from core.ingest.folder_listing import find_sources
from core.ingest.folder_manifest import read_manifest
from core.ingest.metadata import NOTHING
from core.ingest.prepare import NOTHING_GIVEN, Overrides, prepare


def folder_with(tmp_path: Path, *names: str, manifest: str | None = None) -> Path:
    for name in names:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("# Policy\n")
    if manifest is not None:
        (tmp_path / "citebound.toml").write_text(manifest)
    return tmp_path


def test_a_folder_gives_its_readable_files_by_name(tmp_path: Path) -> None:
    """Subfolders count; hidden files and other kinds do not."""
    folder = folder_with(tmp_path, "b.md", "a.PDF", "c/d.html", ".hidden.md", ".git/x.md", "e.png")
    found = find_sources([folder], given=NOTHING_GIVEN).sources
    assert [source.path.name for source in found] == ["a.PDF", "b.md", "d.html"]


def test_the_manifest_comes_first_in_its_order(tmp_path: Path) -> None:
    """Listed files keep the manifest's order; the others follow."""
    manifest = '[[policy]]\nfile = "z.md"\nlabel = "1.0"\n[[policy]]\nfile = "b.md"\n'
    folder = folder_with(tmp_path, "a.md", "b.md", "z.md", manifest=manifest)
    found = find_sources([folder], given=NOTHING_GIVEN).sources
    assert [source.path.name for source in found] == ["z.md", "b.md", "a.md"]
    assert found[0].given.label == "1.0"


def test_every_field_is_read(tmp_path: Path) -> None:
    """The manifest holds all that the options hold."""
    manifest = """[[policy]]
file = "a.md"
key = "a"
label = "1.0"
title = "A"
owner = "Officer"
jurisdiction = "DE"
audience = ["finance"]
tags = ["t", "u"]
effective_from = 2025-01-01
effective_until = 2026-01-01
upload_id = "u1"
"""
    (entry,) = read_manifest(folder_with(tmp_path, "a.md", manifest=manifest)).entries
    assert entry.given == Overrides(
        key="a",
        label="1.0",
        title="A",
        owner="Officer",
        jurisdiction="DE",
        audience=frozenset({"finance"}),
        tags=frozenset({"t", "u"}),
        effective_from=date(2025, 1, 1),
        effective_until=date(2026, 1, 2),  # the first day without it
        upload_id="u1",
    )


@pytest.mark.parametrize(
    ("manifest", "line", "cause"),
    [
        ('[[policy]]\nfile = "a.md"\ncolour = "red"\n', 3, "unknown field 'colour'"),
        ('[[policy]]\nkey = "a"\n', 1, "expected file"),
        (
            '[[policy]]\nfile = "a.md"\n\n[[policy]]\nfile = "missing.md"\n',
            5,
            "no file 'missing.md'",
        ),
        ('[[policy]]\nfile = "../a.md"\n', 2, "outside"),
        ('[[policy]]\nfile = "a.md"\ntags = "t"\n', 3, "expected a list"),
        ('[[policy]]\nfile = "a.md"\naudience = []\n', 3, "expected a list"),
        ('[[policy]]\nfile = "a.md"\neffective_from = "2025-01-01"\n', 3, "expected a date"),
        ('[[policy]]\nfile = "a.md"\neffective_from = 2025-01-01T00:00:00\n', 3, "expected a date"),
        ('[[policy]]\nfile = "a.md"\nlabel = 2.0\n', 3, "expected text in quotes"),
        ('[[policy]]\nfile = "a.md"\njurisdiction = "Germany"\n', 3, "ISO 3166"),
        ('[[policy]]\nfile = "a.md"\nkey =\n', 3, "Invalid"),
        ('[policy]\nfile = "a.md"\n', 1, "[[policy]]"),
        ('[[policies]]\nfile = "a.md"\n', 1, "[[policy]]"),
        ('\nignore = "*.png"\n', 2, "expected a list"),
        ('ignore = ["old/*"]\n', 1, "patterns of names"),
        ('ignore = []\nkey_prefix = "-"\n', 2, "expected a word"),
        ("key_prefix = 7\n", 1, "expected a word"),
    ],
)
def test_a_mistake_in_a_manifest_names_its_line(
    tmp_path: Path, manifest: str, line: int, cause: str
) -> None:
    """Each mistake is a usage error with the line and what is expected."""
    with pytest.raises(UsageError) as error:
        read_manifest(folder_with(tmp_path, "a.md", manifest=manifest))
    assert f"line {line}" in str(error.value)
    assert cause in str(error.value)
    assert "citebound.toml" in str(error.value)


def test_options_win_over_the_manifest(tmp_path: Path) -> None:
    """What is typed is meant."""
    folder = folder_with(
        tmp_path, "a.md", manifest='[[policy]]\nfile = "a.md"\nowner = "x"\ntags = ["t"]\n'
    )
    (source,) = find_sources([folder], given=Overrides(owner="y", key="k")).sources
    assert (source.given.owner, source.given.key, source.given.tags) == ("y", "k", {"t"})


@pytest.mark.parametrize("name", ["key", "title", "label", "upload_id"])
def test_a_name_of_one_policy_is_refused_for_several(tmp_path: Path, name: str) -> None:
    """One key can't be that of two files."""
    folder = folder_with(tmp_path, "a.md", "b.md")
    with pytest.raises(UsageError, match="2 files"):
        find_sources([folder], given=dataclasses.replace(NOTHING_GIVEN, **{name: "x"}))


def test_a_file_named_twice_is_read_once(tmp_path: Path) -> None:
    """Folder and file may overlap."""
    folder = folder_with(tmp_path, "a.md")
    (source,) = find_sources([folder, folder / "a.md"], given=NOTHING_GIVEN).sources
    assert source.file.is_named


def test_a_path_that_is_not_there_is_wrong_usage(tmp_path: Path) -> None:
    """A typing error is named before anything is opened."""
    with pytest.raises(UsageError, match="nowhere"):
        find_sources([tmp_path / "nowhere"], given=NOTHING_GIVEN)


def test_a_folder_without_policies_has_nothing_to_ingest(tmp_path: Path) -> None:
    """The kinds that are read are named."""
    with pytest.raises(EmptyCorpusError, match=r"\.docx"):
        find_sources([folder_with(tmp_path, "x.png")], given=NOTHING_GIVEN)


def listed(folder: Path) -> tuple[list[str], dict[str, str]]:
    """Return the files that are read, and what is left out, by name."""
    found = find_sources([folder], given=NOTHING_GIVEN)
    return [one.path.name for one in found.sources], {
        one.path.name: one.reason for one in found.skipped
    }


def test_what_is_not_read_is_named_with_its_reason(tmp_path: Path) -> None:
    """Documents of other kinds, dangling links, links to folders and pipes; no side files."""
    side = ("Thumbs.db", ".DS_Store", "~$a.docx", ".x/a.doc")
    folder = folder_with(tmp_path / "p", "a.md", "old.doc", "logo.PNG", "x.xyz", "README", *side)
    folder_with(folder, "hall.mp4", "all.zip", "LICENSE", "deeper/run.py")
    (folder / "dangling.md").symlink_to(tmp_path / "nowhere.md")
    (folder / "loop.md").symlink_to(folder / "loop.md")
    (folder / "linked").symlink_to(folder_with(tmp_path / "q", "b.md"))
    os.mkfifo(folder / "pipe.md")
    files, skipped = listed(folder)
    assert files == ["a.md"]
    assert skipped.keys() == {
        *("old.doc", "x.xyz", "README"),
        *("dangling.md", "loop.md", "linked", "pipe.md"),
    }
    assert "named .doc are not read: save it as PDF" in skipped["old.doc"]
    assert "without an ending" in skipped["README"]
    assert "broken link" in skipped["dangling.md"]
    assert "name the folder itself" in skipped["linked"]
    listing = find_sources([folder], given=NOTHING_GIVEN)
    assert {one.name for one in listing.others} == {
        *("logo.PNG", "hall.mp4", "all.zip", "LICENSE", "run.py")
    }


def test_a_link_out_of_the_folder_is_not_followed(tmp_path: Path) -> None:
    """It is named; one that stays inside is read, as where a volume is mounted by links."""
    outside = tmp_path / "secret.md"
    outside.write_text("# Secret\n")
    folder = folder_with(tmp_path / "p", "inside.md")
    (folder / "out.md").symlink_to(outside)
    (folder / "in.md").symlink_to("inside.md")
    (folder / "deeper").mkdir()
    (folder / "deeper" / "up.md").symlink_to("../../secret.md")
    named, skipped = listed(folder)
    assert set(skipped) == {"out.md", "up.md"}
    assert all("leaves the folder" in reason for reason in skipped.values())
    assert {name for name in named if "secret" in name} == set()
    assert "in.md" in named or "inside.md" in named


def test_what_can_not_be_looked_at_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A folder without permission does not keep the others from being read."""
    folder = folder_with(tmp_path, "a.md", "closed/b.md")
    look = Path.iterdir

    def refused(path: Path) -> Iterator[Path]:
        if path.name == "closed":
            raise PermissionError(13, "Permission denied")
        return look(path)

    def unopened(path: Path, *given: Any, **more: Any) -> Any:
        if path.parent.name == "closed":
            raise PermissionError(13, "Permission denied")
        return opened(path, *given, **more)

    opened: Any = Path.open
    monkeypatch.setattr(Path, "iterdir", refused)
    monkeypatch.setattr(Path, "open", unopened)
    assert listed(folder) == (
        ["a.md"],
        {"closed": "it can't be accessed (Permission denied): check its permissions"},
    )


def test_a_name_that_is_no_unicode_is_named(tmp_path: Path) -> None:
    """The database could not keep it."""
    folder = folder_with(tmp_path, "a.md")
    Path(os.fsdecode(os.fsencode(folder) + b"/b\xff.md")).write_text("# B")
    files, skipped = listed(folder)
    assert (files, list(skipped.values())) == (["a.md"], ["its name is not Unicode: rename it"])


def test_names_can_be_ignored(tmp_path: Path) -> None:
    """Patterns hold for the folder and those in it, of files and folders."""
    folder = folder_with(
        *(tmp_path, "a.md", "b.png", "c/d.png", "c/e.md", "old/f.md"),
        manifest='ignore = ["*.png", "old"]\n',
    )
    assert listed(folder) == (["a.md", "e.md"], {})


def test_a_folder_of_nothing_but_other_kinds_names_them(tmp_path: Path) -> None:
    """Who ingests it learns what is in the way."""
    with pytest.raises(EmptyCorpusError, match=r"left out: x\.doc \(files named \.doc"):
        find_sources([folder_with(tmp_path, "x.doc")], given=NOTHING_GIVEN)


def test_a_key_prefix_holds_for_a_folder(tmp_path: Path) -> None:
    """The nearest one counts; a key that is given stands as it is."""
    for name, prefix in (("de", "de"), ("uk", "uk")):
        folder_with(tmp_path / name, "gifts.md", manifest=f'key_prefix = "{prefix}"\n')
    folder_with(tmp_path, "us/gifts.md", manifest='key_prefix = "group"\n')
    found = find_sources([tmp_path], given=NOTHING_GIVEN).sources
    keys = {
        prepare(b"# Gifts\n\nNone.", source_name=one.path.name, given=one.given).metadata.key
        for one in found
    }
    assert keys == {"de-gifts", "uk-gifts", "group-gifts"}
    given = dataclasses.replace(found[0].given, key="gifts")
    assert prepare(b"# Gifts", source_name="x.md", given=given).metadata.key == "gifts"


def test_what_a_manifest_says_of_a_file_further_down_counts(tmp_path: Path) -> None:
    """The file is not found once more when its own folder is gone through."""
    folder = folder_with(
        tmp_path,
        "de/gifts.md",
        "uk/gifts.md",
        manifest='[[policy]]\nfile = "de/gifts.md"\nkey = "gifts-de"\n',
    )
    found = find_sources([folder], given=NOTHING_GIVEN).sources
    assert [(one.given.key, one.path.parent.name) for one in found] == [
        ("gifts-de", "de"),
        (None, "uk"),
    ]


def test_a_place_is_the_same_in_two_copies_of_a_folder(tmp_path: Path) -> None:
    """Paths differ, places don't; whatever way the folder was named."""
    one = folder_with(tmp_path / "a" / "policies", "de/gifts.md")
    two = folder_with(tmp_path / "b" / "policies", "de/gifts.md")
    given = [one, two / ".." / "policies", two / "de" / ".."]
    found = [find_sources([path], given=NOTHING_GIVEN).sources[0].file for path in given]
    assert {file.place for file in found} == {"policies/de/gifts.md"}
    assert [file.path for file in found] == [
        str(one / "de" / "gifts.md"),
        str(two / "de" / "gifts.md"),
        str(two / "de" / "gifts.md"),
    ]


def test_files_are_read_below_the_address_of_their_folder(tmp_path: Path) -> None:
    """By their paths, encoded; an address of a file's own wins, and so does a nearer folder's."""
    top = 'url_base = "https://policies.example.com/all/"\n[[policy]]\nfile = "b.md"\n'
    folder = folder_with(
        tmp_path,
        "a b.md",
        "b.md",
        "de/c.md",
        "fr/d.md",
        manifest=f'{top}url = "https://other.example.com/b"\n',
    )
    (tmp_path / "fr" / "citebound.toml").write_text('url_base = "https://fr.example.com"\n')
    found = find_sources([folder], given=NOTHING_GIVEN).sources
    assert {one.path.name: one.given.url for one in found} == {
        "a b.md": "https://policies.example.com/all/a%20b.md",
        "b.md": "https://other.example.com/b",
        "c.md": "https://policies.example.com/all/de/c.md",
        "d.md": "https://fr.example.com/d.md",
    }


def test_the_address_of_a_folder_wins_over_that_of_a_document_with_a_note(tmp_path: Path) -> None:
    """The manifest stands above the document, as in all else."""
    folder = folder_with(tmp_path, "a.md", manifest='url_base = "https://policies.example.com"\n')
    text = b"---\nurl: https://own.example.com/gifts\n---\n\n# Gifts\n"
    (source,) = find_sources([folder], given=NOTHING_GIVEN).sources
    found = prepare(text, source_name="a.md", given=source.given)
    assert found.metadata.url == "https://policies.example.com/a.md"
    assert found.document.notes == (
        "the document says otherwise than given: url 'https://own.example.com/gifts';"
        " correct either of them",
    )
    (source,) = find_sources([folder], given=Overrides(url=NOTHING)).sources
    assert prepare(text, source_name="a.md", given=source.given).metadata.url is None


@pytest.mark.parametrize(
    "text",
    [
        'url_base = "policies.example.com"\n',
        "url_base = 7\n",
        '[[policy]]\nfile = "a.md"\nurl = "http://policies.example.com/a"\n',
        '[[policy]]\nfile = "a.md"\nurl = "https://policies.example.com/a b"\n',
        '[[policy]]\nfile = "a.md"\nreview_by = "soon"\n',
        '[[policy]]\nfile = "a.md"\nsensitivity = ""\n',
    ],
)
def test_what_could_lead_nowhere_is_refused(tmp_path: Path, text: str) -> None:
    """With the line."""
    with pytest.raises(UsageError, match=r"citebound\.toml: line \d"):
        find_sources([folder_with(tmp_path, "a.md", manifest=text)], given=NOTHING_GIVEN)
