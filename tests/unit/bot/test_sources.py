"""Which files are ingested, in which order, and what a manifest may say."""

import dataclasses
from datetime import date
from pathlib import Path

import pytest

from bot.console.manifest import read_manifest
from bot.console.sources import find_sources
from core.domain.errors import EmptyCorpusError, UsageError
from core.ingest.prepare import NOTHING_GIVEN, Overrides


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
    found = find_sources([folder], given=NOTHING_GIVEN)
    assert [source.path.name for source in found] == ["a.PDF", "b.md", "d.html"]


def test_the_manifest_comes_first_in_its_order(tmp_path: Path) -> None:
    """Listed files keep the manifest's order; the others follow."""
    manifest = '[[policy]]\nfile = "z.md"\nlabel = "1.0"\n[[policy]]\nfile = "b.md"\n'
    folder = folder_with(tmp_path, "a.md", "b.md", "z.md", manifest=manifest)
    found = find_sources([folder], given=NOTHING_GIVEN)
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
    (entry,) = read_manifest(folder_with(tmp_path, "a.md", manifest=manifest))
    assert entry.given == Overrides(
        key="a",
        label="1.0",
        title="A",
        owner="Officer",
        jurisdiction="DE",
        audience=frozenset({"finance"}),
        tags=frozenset({"t", "u"}),
        effective_from=date(2025, 1, 1),
        effective_until=date(2026, 1, 1),
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
    (source,) = find_sources([folder], given=Overrides(owner="y", key="k"))
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
    assert len(find_sources([folder, folder / "a.md"], given=NOTHING_GIVEN)) == 1


def test_a_path_that_is_not_there_is_wrong_usage(tmp_path: Path) -> None:
    """A typing error is named before anything is opened."""
    with pytest.raises(UsageError, match="nowhere"):
        find_sources([tmp_path / "nowhere"], given=NOTHING_GIVEN)


def test_a_folder_without_policies_has_nothing_to_ingest(tmp_path: Path) -> None:
    """The kinds that are read are named."""
    with pytest.raises(EmptyCorpusError, match=r"\.docx"):
        find_sources([folder_with(tmp_path, "x.png")], given=NOTHING_GIVEN)
