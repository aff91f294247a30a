"""What becomes of a bundle that somebody changed: each change is found, and named.

Whoever changes a file can draw the page anew, for the program that draws it is in the bundle. So
each change is tried twice: with the page as it was, and with one that fits.
"""

import json
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path

import pytest

from core.audit.bundle import verify
from core.audit.bundle.read import check_bundle
from core.audit.checkpoint import Checkpoint, LedgerKey, checkpoint_of, is_signature
from core.domain.errors import UsageError
from tests.unit.audit.bundles import (
    KEY,
    POLICY,
    SEALED_AT,
    answered,
    bundle_of,
    files_of,
    lines,
    publication,
    record,
    sample,
    unpack,
)

VERSIONS = ("3.9", "3.10", "3.11", "3.12", "3.13", "3.14")
"""Of Python, that `verify.py` runs on."""
Files = dict[str, bytes]


@pytest.fixture
def files() -> Files:
    """The files of a sound bundle."""
    return files_of(sample())


def verdict(files: Files, *, anew: bool = False) -> tuple[int, str]:
    """Return what the verifier says: its exit code, and why; `anew`: of the page that fits."""
    try:
        verify.refuse_others(list(files))
        given = redrawn(files) if anew else files
        checked = verify.check(given, given_key=KEY.public.text(), signed=is_signature)
    except verify.NotAsRecordedError as error:
        return 1, str(error)
    except verify.NotCompletedError as error:
        return 2, str(error)
    return (2 if checked.lacks else 0), " ".join(checked.lacks)


def redrawn(files: Files) -> Files:
    """Return files with the page that fits them."""
    return {**files, verify.PAGE: verify.page_of(verify.read_bundle(files))}


def swapped(data: bytes) -> bytes:
    """Swap the first two lines."""
    first, second, *rest = lines(data)
    return b"".join([second, first, *rest])


def test_a_sound_bundle_is_proven(files: Files) -> None:
    assert verdict(files) == (0, "")
    assert redrawn(files) == files, "the page is what the files give, whoever draws it"


def test_keys_of_ours_decide(files: Files, tmp_path: Path) -> None:
    """Where none is known, nothing is said of the bundle."""
    path = zipped(files, tmp_path)
    note = files["checkpoint.txt"].decode()
    stranger = LedgerKey.generate("acme").public
    retired = KEY.public.retired((0, 0))
    for keys, notes, result in (
        ([KEY.public], [note], "intact"),
        ([KEY.public], [], "incomplete"),
        ([], [note], "incomplete"),
        ([stranger], [note], "tampered"),
        ([retired], [note], "tampered"),
        ([KEY.public], [note.replace(note.split("\n")[2], "A" * 43 + "=")], "tampered"),
    ):
        checked = check_bundle(path, keys, notes)
        assert checked.result == result, (keys, notes, checked)


def test_every_changed_byte_is_found(files: Files) -> None:
    """In each file, the page and the program included."""
    for name, data in files.items():
        for place in range(0, len(data), max(1, len(data) // 60)):
            for flip in (1, 0x20):
                changed = data[:place] + bytes([data[place] ^ flip]) + data[place + 1 :]
                code, why = verdict({**files, name: changed})
                assert code == (2 if name == "verify.py" else 1), (name, place, why)


def test_every_changed_file_is_named(files: Files) -> None:
    """Swapped lines, a lost and a doubled one, and an end that is missing or too much."""
    ways: tuple[Callable[[bytes], bytes], ...] = (
        swapped,
        lambda data: b"".join(lines(data)[1:]),
        lambda data: lines(data)[0] + data,
        lambda data: data[:-1],
        lambda data: data + b" ",
        lambda data: data + b"\n",
        lambda _: b"",
    )
    for name in files.keys() - {"keys.txt", "checkpoint.txt"}:
        for n, change in enumerate(ways):
            code, why = verdict({**files, name: change(files[name])})
            assert code == (2 if name == "verify.py" else 1), (name, n)
            assert name in why, (name, n, why)


@pytest.mark.parametrize(
    "name", ["index.html", "contents.jsonl", "records.jsonl", "policies/4.txt"]
)
def test_a_changed_figure_is_found(files: Files, name: str) -> None:
    """Each digit of what is read."""
    digits = [place for place, byte in enumerate(files[name]) if chr(byte).isdigit()]
    for place in digits[:: max(1, len(digits) // 80)]:
        other = b"%d" % ((files[name][place] - 48 + 4) % 10)
        changed = files[name][:place] + other + files[name][place + 1 :]
        assert verdict({**files, name: changed})[0] == 1, (name, place)


def test_what_is_added_or_missing_is_named(files: Files, tmp_path: Path) -> None:
    """Nothing is proven of it: never intact. Folder and ZIP agree; a file manager's own is passed
    over, and a second file of one name is not.
    """
    for name in files:
        code, why = verdict({other: data for other, data in files.items() if other != name})
        assert (code, name in why) == (2, True), (name, why)
    for n, name in enumerate(
        ("summary.html", "policies/04.txt", "policies/4.html", "sub/keys.txt")
    ):
        folder = unpack({**files, name: b"x"}, tmp_path / str(n))
        with pytest.raises(verify.NotCompletedError, match=name.split("/")[0]):
            verify.read_folder(folder)
        checked = check_bundle(zipped({**files, name: b"x"}, tmp_path), [KEY.public], [])
        assert (checked.result, name in str(checked.lacks)) == ("incomplete", True)
    beside = unpack({**files, ".DS_Store": b"x"}, tmp_path / "mac")
    assert verify.read_folder(beside) == files
    twice = zipped(files, tmp_path)
    with zipfile.ZipFile(twice, "a") as archive, pytest.warns(UserWarning, match="Duplicate"):
        archive.writestr("index.html", "another")
    assert "index.html" in str(check_bundle(twice, [KEY.public], []).lacks)


def zipped(files: Mapping[str, bytes], folder: Path) -> Path:
    path = folder / "given.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.mkdir("policies")
        for name, data in files.items():
            archive.writestr(name, data)
    return path


def test_a_damaged_zip_is_refused(files: Files, tmp_path: Path) -> None:
    """Cut or changed anywhere: never with a failure of ours."""
    whole, path = zipped(files, tmp_path).read_bytes(), tmp_path / "damaged.zip"
    for place in range(0, len(whole), max(1, len(whole) // 300)):
        for damaged in (
            whole[:place],
            whole[:place] + bytes([whole[place] ^ 4]) + whole[place + 1 :],
        ):
            path.write_bytes(damaged)
            with suppress(UsageError):
                check_bundle(path, [KEY.public], [])


def test_a_page_drawn_anew_hides_nothing(files: Files) -> None:
    """What is changed, added, doubled or exchanged is no record, text or policy of the ledger."""
    contents, records, proofs = (
        files[name] for name in ("contents.jsonl", "records.jsonl", "proofs.jsonl")
    )
    strange = b'{"record": "r", "field": "answer", "salt": "00", "body": "Yes."}\n'
    stranger = LedgerKey.generate("acme")
    root = Checkpoint(origin="acme/audit/1", size=8, root=bytes(32))
    sealed = checkpoint_of(files["checkpoint.txt"].decode())
    other = KEY.sign(root, at=SEALED_AT)
    *body, plain, dated = lines(files["checkpoint.txt"])
    *_, plain_of_other, dated_of_other = lines(other.encode())
    later = other.replace("audit/1", "audit/2")
    changes: dict[str, Files] = {
        "text": {"contents.jsonl": contents.replace(b"EUR 50. [1]", b"EUR 90. [1]")},
        "text of no record": {"contents.jsonl": contents + strange},
        "half a line": {"contents.jsonl": contents + b"Yes."},
        "text twice": {"contents.jsonl": contents + lines(contents)[0]},
        "record": {"records.jsonl": records.replace(b"berlin", b"munich")},
        "record without a proof": {"records.jsonl": records + lines(records)[0]},
        "record twice": {
            "records.jsonl": lines(records)[0] + records,
            "proofs.jsonl": lines(proofs)[0] + proofs,
        },
        "order": {"records.jsonl": swapped(records), "proofs.jsonl": swapped(proofs)},
        "name": {"proofs.jsonl": proofs.replace(b"000003", b"000009")},
        "policy": {"policies/4.txt": POLICY.replace("EUR 50", "EUR 90").encode()},
        "policy that nobody cites": {"policies/5.txt": POLICY.encode()},
        "signature": {"checkpoint.txt": b"".join([*body, plain_of_other, dated])},
        "date": {"checkpoint.txt": b"".join([*body, plain, dated_of_other])},
        "time": {"times.jsonl": json.dumps({"note": later}).encode() + b"\n"},
        "key": {
            "keys.txt": f"{stranger.public.text()}\n".encode(),
            "checkpoint.txt": stranger.sign(sealed, at=SEALED_AT).encode(),
            "times.jsonl": b"",
        },
    }
    for way, changed in changes.items():
        code, why = verdict({**files, **changed}, anew=True)
        assert code == 1, (way, why)
    fewer = verdict({**files, "times.jsonl": b""}, anew=True)
    assert fewer == (0, ""), "it says less, and shows so"


def test_a_publication_that_another_contradicts_proves_no_text() -> None:
    """Nor does one of a release that recorded no hash of it; a text that is proven is there."""
    other = publication("Else.")
    other = other._replace(entry=other.entry._replace(leaf=5))
    twice = bundle_of(publication(POLICY), answered(), other, policies={4: POLICY})
    assert "policies/4.txt" in verdict(files_of(twice))[1]
    unproven = bundle_of(publication(), answered(), policies={4: POLICY})
    assert verdict(files_of(unproven))[0] == 1
    assert verdict(files_of(bundle_of(publication(), answered()))) == (0, "")
    without = bundle_of(publication(POLICY), answered())
    assert verdict(files_of(without)) == (2, "policies/4.txt: missing")


def test_a_record_of_another_time_is_found() -> None:
    misdated = record(1, "reply:posted", texts={}, at="2026-02-01T10:00:00.000000Z")
    code, why = verdict(files_of(bundle_of(misdated)))
    assert (code, "was sealed at another time" in why) == (1, True)


def test_of_another_program_the_page_is_not_judged(files: Files) -> None:
    """Another release draws it in other words; the records are proven all the same."""
    files |= {"verify.py": b"print('All checks passed.')\n", "index.html": b"All is well."}
    code, why = verdict(files)
    assert (code, "verify.py is not this program" in why) == (2, True)
    assert (
        verdict({**files, "records.jsonl": files["records.jsonl"].replace(b"o", b"u", 1)})[0] == 1
    )


@pytest.mark.parametrize(
    "line", [b"[" * 9_000 + b"\n", b"\xff\n", b'{"note": 1}\n', b"1" * 9_000 + b"\n"]
)
def test_what_is_malformed_is_a_finding(files: Files, line: bytes) -> None:
    """Deep, in no encoding, of another type, or a number without end: never a failure of ours."""
    for name in files:
        if name.endswith(".jsonl"):
            assert verdict({**files, name: files[name] + line})[0] == 1, name


def interpreter(version: str) -> str | None:
    """Find a Python; where pyenv stands in for it, among the versions that it has."""
    named = shutil.which(f"python{version}")
    if named is None:
        return None
    kept = Path(named).parents[1].glob(f"versions/{version}.*/bin/python{version}")
    return str(next(kept, named))


def run(python: str, folder: Path, *words: str) -> tuple[int, str]:
    """Run a bundle's verifier, with nothing but Python, where warnings are errors."""
    done = subprocess.run(  # noqa: S603  # our own words
        (python, "-I", "-S", "-W", "error", str(folder / "verify.py"), *words),
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize("version", VERSIONS)
def test_every_python_that_it_names(files: Files, tmp_path: Path, version: str) -> None:
    """A sound bundle is proven; a changed one is found, and another file in the folder."""
    python = interpreter(version)
    if python is None:
        pytest.skip(f"another Python absent: {version}")
    key = KEY.public.text()
    sound = unpack(files, tmp_path / "sound")
    code, told = run(python, sound)
    assert (code, told.splitlines()[-1]) == (0, "All checks passed."), told
    assert f"elsewhere: {key}" in told
    assert run(python, sound, "--key", key, "--checkpoint", str(sound / "checkpoint.txt"))[0] == 0
    assert run(python, sound, "--key", LedgerKey.generate("acme").public.text())[0] == 1
    page = files[verify.PAGE].replace(b"EUR 50", b"EUR 90")
    code, told = run(python, unpack({**files, verify.PAGE: page}, tmp_path / "changed"))
    assert (code, told.startswith("NOT AS RECORDED: index.html")) == (1, True), told
    (sound / "notes.txt").touch()
    assert "notes.txt: no part of the bundle" in run(python, sound)[1]


@pytest.mark.parametrize("version", [VERSIONS[0], VERSIONS[-1]])
def test_no_name_is_newer_than_the_python_that_it_names(version: str) -> None:
    """As far as types tell, also where that Python is not installed."""
    words = ("-m", "basedpyright", "--pythonversion", version, str(verify.__file__))
    done = subprocess.run(  # noqa: S603  # our own words
        (sys.executable, *words), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout


def test_its_own_failure_is_no_verdict(files: Files, tmp_path: Path) -> None:
    """Exit 2, with what failed; a Python that is too old says so."""
    for n, (then, now) in enumerate(
        (("datetime.timezone.utc", "datetime.NAME"), ("bisect.bisect_right", "bisect.NAME"))
    ):
        program = files["verify.py"].decode().replace(then, now).encode()
        code, told = run(sys.executable, unpack({**files, "verify.py": program}, tmp_path / str(n)))
        assert (code, "says nothing of the bundle (AttributeError" in told) == (2, True), told
    old = files["verify.py"].replace(b"sys.version_info < (3, 9)", b"sys.version_info < (9, 9)")
    code, told = run(sys.executable, unpack({**files, "verify.py": old}, tmp_path / "old"))
    assert (code, "needs Python 3.9" in told) == (2, True)
