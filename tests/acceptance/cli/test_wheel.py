"""What is built for users runs where there is nothing but the product and what it asks for."""

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from importlib.metadata import Distribution, distribution
from pathlib import Path

import pytest

from tests.children import watched
from tests.wheels import built_wheel, pip, ran

ROOT = Path(__file__).parents[3]
LOCKS = ("deploy/requirements.lock", "deploy/model.lock")


@pytest.fixture(scope="module")
def installed() -> Iterator[Path]:
    """An environment with the wheel and its locked dependencies alone, without a network.

    The dependencies are those of the environment that runs the tests, linked one by one, so that
    nothing that only a developer has can be imported.
    """
    folder = Path(tempfile.mkdtemp(prefix="citebound-wheel-"))
    folder.chmod(0o755)
    wheel = built_wheel(folder)
    environment = folder / "environment"
    ran(sys.executable, "-m", "venv", "--without-pip", str(environment))
    (site,) = environment.glob("lib/python*/site-packages")
    for found in locked():
        link(found, site)
    pip(str(environment / "bin" / "python"), "install", "--no-index", str(wheel))
    yield environment
    shutil.rmtree(folder)


@pytest.fixture(scope="module")
def variables(installed: Path) -> dict[str, str]:
    """What the commands are told: a home of their own, and nothing of this environment."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}  # noqa: TID251
    return kept | {"CITEBOUND_HOME": str(installed.parent / "home"), "COLUMNS": "100"}


def test_a_wheel_answers_doctor_and_demo(installed: Path, variables: dict[str, str]) -> None:
    """Migrations and samples are there: the samples are ingested and asked."""
    citebound = str(installed / "bin" / "citebound")
    demo = ran(citebound, "demo", env=variables, cwd=installed)
    assert "within 72 hours" in " ".join(demo.split())
    doctor = ran(citebound, "doctor", env=variables, cwd=installed)
    assert "Works." in doctor
    assert "local:reader/" in doctor


def test_a_wheel_holds_the_product_alone(installed: Path) -> None:
    """Our own gates, and what trains models, stay in the checkout, with all their data."""
    (wheel,) = installed.parent.glob("citebound-*.whl")
    with zipfile.ZipFile(wheel) as held:
        names = [name for name in held.namelist() if ".dist-info/" not in name]
    assert {name.partition("/")[0] for name in names} == {"bot", "core", "evals"}
    measuring = [name for name in names if name.startswith("evals/")]
    assert {"/".join(name.split("/")[:2]) for name in measuring} == {"evals/measuring"}
    assert {name.rpartition(".")[2] for name in measuring} == {"py", "html"}


def test_a_wheel_measures(installed: Path, variables: dict[str, str]) -> None:
    """`citebound eval` asks questions, and writes the page of the run."""
    citebound, folder = str(installed / "bin" / "citebound"), installed.parent
    questions = ROOT / "samples" / "questions" / "test.jsonl"
    told = ("--questions", str(questions), "--limit", "3", "--out", str(folder / "run.json"))
    assert "passed" in ran(citebound, "eval", "run", *told, env=variables, cwd=installed)
    page = folder / "run.html"
    ran(citebound, "eval", "report", str(folder / "run.json"), "-o", str(page), env=variables)
    assert "<svg" in page.read_text(encoding="utf-8")


def test_a_wheel_serves(installed: Path, variables: dict[str, str]) -> None:
    """A process of an installed wheel starts, listens and ends in order."""
    told = {"ALLOW_ANONYMOUS": "1", "CITEBOUND_PORT": "0", "CITEBOUND_OPERATIONS_PORT": "0"}
    words = [str(installed / "bin" / "citebound"), "serve"]
    said: list[str] = []
    with watched(
        subprocess.Popen(  # noqa: S603  # our own words
            words, env=variables | told, cwd=installed, stderr=subprocess.PIPE, text=True
        )
    ) as process:
        assert process.stderr is not None
        for line in process.stderr:
            said.append(line)
            if "listening" in line:
                process.send_signal(signal.SIGTERM)
    assert process.returncode == 0, "".join(said)
    assert any("listening" in line for line in said)


def locked() -> Iterator[Distribution]:
    """The distributions that the locks name and this platform has."""
    for lock in LOCKS:
        for name in re.findall(r"(?m)^([\w.-]+)==", (ROOT / lock).read_text()):
            try:
                yield distribution(name)
            except ModuleNotFoundError:
                continue  # of another platform


def link(found: Distribution, site: Path) -> None:
    """Put a distribution into an environment."""
    for top in {file.parts[0] for file in found.files or () if file.parts[0] != ".."}:
        source, target = Path(str(found.locate_file(top))), site / top
        if top != "__pycache__" and source.exists() and not target.exists():
            target.symlink_to(source)
