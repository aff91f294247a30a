"""What a manifest can't say, and how that is told."""

from pathlib import Path

import pytest

from core.domain.errors import UsageError
from core.ingest.folder_manifest import read_manifest

POLICY = '[[policy]]\nfile = "a.md"\n'


def read(folder: Path, data: bytes) -> str | None:
    """Return the owner of its one policy."""
    (folder / "a.md").write_text("# A\n")
    (folder / "citebound.toml").write_bytes(data)
    (entry,) = read_manifest(folder).entries
    return entry.given.owner


def refusal(folder: Path, data: bytes) -> str:
    with pytest.raises(UsageError) as error:
        read(folder, data)
    return str(error.value).removeprefix(f"{folder / 'citebound.toml'}: ")


def test_a_byte_order_mark_is_passed_over(tmp_path: Path) -> None:
    """Editors on Windows write one."""
    assert read(tmp_path, b"\xef\xbb\xbf" + f'{POLICY}owner = "Jürgen"\n'.encode()) == "Jürgen"


@pytest.mark.parametrize(
    ("data", "line"),
    [
        (f'{POLICY}owner = "Jürgen"\n'.encode("cp1252"), 3),
        (f'{POLICY}owner = "Ann"\n'.encode("utf-16"), 1),
    ],
)
def test_another_encoding_is_named_with_its_cure(tmp_path: Path, data: bytes, line: int) -> None:
    """One line, and no byte of it."""
    assert refusal(tmp_path, data) == (
        f"line {line}: it is not in UTF-8: save it with the encoding UTF-8"
    )


def test_a_manifest_that_can_not_be_read_is_named(tmp_path: Path) -> None:
    """Here a folder of that name."""
    (tmp_path / "citebound.toml").mkdir()
    with pytest.raises(UsageError, match=r"it can't be read \(Is a directory\)"):
        read_manifest(tmp_path)


@pytest.mark.parametrize("value", ["[" * 9_000, "1" * 9_000])
def test_a_manifest_that_no_parser_takes_is_a_mistake(tmp_path: Path, value: str) -> None:
    """Nested too deeply, or a number of very many digits."""
    assert "\n" not in refusal(tmp_path, f"ignore = {value}\n".encode())


@pytest.mark.parametrize(
    ("source", "start"),
    [
        ('ignore = []\n\ncolour = "red"\n', "line 3: "),
        ('ignore = []\n"colour" = "red"\n', "line 2: "),
        ('key_prefix = "de"\ncolour.dark = true\n', "line 2: "),
        (f"{POLICY}\n[colour]\nx = 1\n", "line 4: "),
        (f"{POLICY}[[ colour ]]\n", "line 3: "),
        ('key_prefix = """\ncolour = 1\n"""\ncolour = 2\n', "line 4: "),
        (f'{POLICY}"col\\u006fur" = 1\n[[colour]]\n', "line 4: "),
        ('"c\\u006flour" = 1\n', "expected ignore"),
        ("ignore = [\n  'a',\n]\ncolour = 1\n", "line 4: "),
    ],
)
def test_what_is_unknown_at_the_top_is_named_with_its_line(
    tmp_path: Path, source: str, start: str
) -> None:
    """Or with none, where it can't be told."""
    said = refusal(tmp_path, source.encode())
    assert said.startswith(start)
    assert said.endswith("and nothing else, got 'colour'")


@pytest.mark.parametrize(
    ("field", "length", "most"),
    [
        ("owner", 201, "200"),
        ("sensitivity", 61, "60"),
        ("title", 5_000, "200"),
        ("verified_by", 5_000, "200"),
        ("key", 5_000, "200"),
    ],
)
def test_what_is_too_long_is_refused_and_not_repeated(
    tmp_path: Path, field: str, length: int, most: str
) -> None:
    """The limits are those of documents."""
    said = refusal(tmp_path, f'{POLICY}{field} = "{"x" * length}"\n'.encode())
    assert said.startswith(f"line 3: expected at most {most} characters, got 'xxx")
    assert len(said) < 120
    assert read(tmp_path, f'{POLICY}owner = "{"x" * 200}"\n'.encode()) == "x" * 200


def test_an_address_that_is_too_long_is_refused_for_that(tmp_path: Path) -> None:
    """And not for its form."""
    said = refusal(tmp_path, f'url_base = "https://a.example.com/{"x" * 5_000}"\n'.encode())
    assert said.startswith("line 1: expected at most 1,500 characters, got 'https://a.example")
    assert len(said) < 120
