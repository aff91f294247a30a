"""The wheel of this tree, as users and images get it."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]


def copied_tree(folder: Path) -> Path:
    """Copy what a wheel is built from: nothing is written into the checkout."""
    tree = folder / "tree"
    for name in ("bot", "core", "deploy", "evals", "migrations", "samples"):
        shutil.copytree(ROOT / name, tree / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("Makefile", "pyproject.toml", "setup.py", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, tree / name)
    return tree


def built_wheel(folder: Path) -> Path:
    """Build it into a folder."""
    tree = copied_tree(folder)
    pip(sys.executable, "wheel", "--no-build-isolation", "--no-index", "-w", str(folder), str(tree))
    (wheel,) = folder.glob("citebound-*.whl")
    return wheel


def pip(python: str, *words: str) -> str:
    """Run this environment's pip for an interpreter."""
    quiet = ("--quiet", "--disable-pip-version-check", "--no-deps")
    return ran(sys.executable, "-m", "pip", "--python", python, words[0], *quiet, *words[1:])


def ran(*words: str, env: dict[str, str] | None = None, cwd: Path | None = None) -> str:
    """Run a command to its end and return what it printed; it sees no checkout on its path."""
    env = env or {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}  # noqa: TID251
    done = subprocess.run(  # noqa: S603  # our own words
        words,
        env=env,
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
