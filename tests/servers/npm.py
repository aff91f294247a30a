"""Programs from npm that tests run: installed once, into the user's cache, outside the repository.

None of them is shipped, and none runs its install scripts.
"""

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

INSTALLED_WITHIN_S = 300


class AbsentError(Exception):
    """It cannot be installed here; the text says why."""


def need_package(name: str, version: str, *, absent: str) -> Path:
    """Return its folder, installed if need be; skip or, where `CI` is set, fail without it.

    Args:
        name: on npm.
        version: exactly.
        absent: how the reason of a skip begins.
    """
    try:
        return package(name, version)
    except AbsentError as error:
        reason = f"{absent}: {error}"
        if os.environ.get("CI"):  # noqa: TID251  # tests have no settings
            pytest.fail(f"{reason}; CI must not skip this")
        pytest.skip(reason)


def package(name: str, version: str) -> Path:
    """Return its folder, installed if need be.

    Raises:
        AbsentError: There is no Node, no npm, or npm did not get it.
    """
    npm = shutil.which("npm")
    if npm is None or shutil.which("node") is None:
        raise AbsentError("it needs Node 20 and npm on the PATH")
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"  # noqa: TID251
    folder = Path(base) / "citebound-tests" / f"{name.rpartition('/')[2]}-{version}"
    found = folder / "node_modules" / name
    if not (found / "package.json").exists():
        _install(npm, folder, f"{name}@{version}")
    return found


def _install(npm: str, folder: Path, wanted: str) -> None:
    """Install beside its place, then put it there at once: two sessions may do so."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    made = Path(tempfile.mkdtemp(dir=folder.parent))
    flags = ("--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error")
    try:
        done = subprocess.run(  # noqa: S603  # what is run is written here
            [npm, "install", "--prefix", str(made), *flags, wanted],
            capture_output=True,
            text=True,
            timeout=INSTALLED_WITHIN_S,
            check=False,
        )
        if done.returncode != 0:
            told = done.stderr.strip().splitlines()
            raise AbsentError(f"npm could not install it: {told[0] if told else 'no reason'}")
        if not folder.exists():
            made.replace(folder)
    except (OSError, subprocess.TimeoutExpired) as error:
        if not folder.exists():
            raise AbsentError(f"npm could not install it: {type(error).__name__}") from error
    finally:
        shutil.rmtree(made, ignore_errors=True)
