"""What `make release` leaves is all that whoever only runs Citebound needs."""

import hashlib
import os
import re
import shutil
import sys
from importlib.metadata import version
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from tests.wheels import ROOT, copied_tree, ran

pytestmark = pytest.mark.slow

VERSION = version("citebound")
LOCKS = ("deploy/requirements.lock", "deploy/model.lock")
PAGE = (ROOT / "docs" / "operate.md").read_text()
LINES = re.findall(r"^.* pip install .*--requirement .*$|^.*/pip install .*$", PAGE, re.MULTILINE)
"""What the page has one type: by pip, and by uv."""
SUPPORTED = ("3.11", "3.12", "3.13", "3.14")


@pytest.fixture(scope="module")
def released(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that `make release` makes, from a copy of the tree."""
    tree = copied_tree(tmp_path_factory.mktemp("release"))
    environment = Path(sys.executable).parents[1]
    done = f"{environment}/.installed"  # as it is, whichever file is newer
    ran("make", f"--old-file={done}", "release", f"VENV={environment}", cwd=tree)
    return tree / "dist"


def test_a_release_is_a_wheel_and_all_that_it_needs(released: Path) -> None:
    """Each pinned and hashed, the wheel itself too, and the lines of the page name them."""
    (wheel,) = released.glob("*.whl")
    (listed,) = released.glob("*.txt")
    digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
    own, _, rest = listed.read_text().partition("\n")
    assert own == f"citebound=={VERSION} --hash=sha256:{digest}"
    assert rest == "".join((ROOT / lock).read_text() for lock in LOCKS)
    assert len(LINES) == 2
    assert all(line.endswith(f" --find-links . --requirement {listed.name}") for line in LINES)
    assert f"citebound:{VERSION} demo" in PAGE


@pytest.mark.nightly
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("line", LINES)
def test_the_lines_install_what_answers(released: Path, tmp_path: Path, line: str) -> None:
    """As written, from a registry of packages, and then a question about a policy."""
    if line.startswith("uv ") and shutil.which("uv") is None:
        pytest.skip("uv absent: pip install uv")
    for file in released.iterdir():
        shutil.copy(file, tmp_path)
    home = {"CITEBOUND_HOME": str(tmp_path / "home")}
    environment = {**os.environ, **home}  # noqa: TID251
    ran("sh", "-c", line, env=environment, cwd=tmp_path)
    policy = tmp_path / "gifts.md"
    policy.write_text("# Gifts\n\nEmployees must not accept gifts worth more than EUR 50.\n")
    citebound = str(tmp_path / "citebound" / "bin" / "citebound")
    ran(citebound, "ingest", str(policy), env=environment, cwd=tmp_path)
    said = ran(citebound, "ask", "May I accept a gift of EUR 80?", env=environment, cwd=tmp_path)
    assert "must not accept gifts worth more than EUR 50. [1]" in said
    doctor = ran(citebound, "doctor", env=environment, cwd=tmp_path)
    assert "weights found and their hashes right" in doctor


@pytest.mark.parametrize("python", SUPPORTED)
def test_the_page_counts_the_packages(python: str) -> None:
    """On Linux, whichever Python: what the lock names, less what builds the wheel."""
    lock = (ROOT / "deploy" / "requirements.lock").read_text()
    linux = {
        "implementation_name": "cpython",
        "platform_machine": "x86_64",
        "platform_python_implementation": "CPython",
        "python_full_version": f"{python}.0",
        "python_version": python,
        "sys_platform": "linux",
    }
    pinned = [Requirement(line) for line in re.findall(r"(?m)^(\w[^\\\n]+)", lock)]
    installed = {
        package.name
        for package in pinned
        if package.marker is None or package.marker.evaluate(linux)
    } - {"setuptools"}
    assert f"\n{len(installed)} packages besides Citebound" in PAGE


def test_the_supported_versions_are_those_that_are_tried() -> None:
    """By the wheel's metadata and by `make`, which takes the newest that is there."""
    project, makefile = ((ROOT / name).read_text() for name in ("pyproject.toml", "Makefile"))
    assert tuple(re.findall(r"Python :: (3\.\d+)", project)) == SUPPORTED
    (candidates,) = re.findall(r"for candidate in (.*) python3 python;", makefile)
    assert candidates.split() == [f"python{one}" for one in reversed(SUPPORTED)]
