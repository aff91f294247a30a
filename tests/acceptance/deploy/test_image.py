"""The image: what is in it, how it is confined, and that its composition answers a question."""

import json
import shlex
import shutil
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.servers.podman import MAKE_BASE, CantRunError, Podman, need_podman
from tests.wheels import ROOT, built_wheel

pytestmark = pytest.mark.slow

DEPLOY = ROOT / "deploy"
FILES = (DEPLOY / "Containerfile", DEPLOY / "postgres" / "Containerfile")
COMPOSITIONS = (DEPLOY / "compose.yaml", DEPLOY / "compose.demo.yaml")
IMAGE, POSTGRES = "localhost/citebound:test", "localhost/citebound-postgres:test"
LARGEST = 750_000_000
"""Bytes."""
PYTHON = "--include=ca-certificates,python3,python3-venv"
COMPILERS = "cc gcc c++ g++ clang tcc as ld make cmake rustc cargo go"
BUILDING = pytest.mark.timeout(1800)
"""The first test waits for the images; all that they download comes from elsewhere."""
LEFT_OUT = ("olefile2.py", ".pyi", ".pyx", ".pxd", ".pxi", ".a", ".c", ".h", ".cpp", ".hpp")
FOLDERS_LEFT_OUT = {"tests", "include", "pgxs", "pkgconfig"}
INSTALLED = """
import csv, json
from importlib.metadata import distributions
found = list(distributions())
lists = [(one, csv.reader(one.read_text("RECORD").splitlines())) for one in found]
missing = [row[0] for one, rows in lists for row in rows if not one.locate_file(row[0]).exists()]
print(json.dumps([[one.metadata["Name"].lower().replace("_", "-") for one in found], missing]))
"""
"""Python's own list of a package's files leaves out those that are not there."""


@pytest.fixture(scope="module")
def podman() -> Iterator[Podman]:
    """Podman, with both images built at the same time."""
    with need_podman() as running:
        context = running.folder / "context"
        shutil.copytree(DEPLOY, context / "deploy")
        (context / "dist").mkdir()
        (context / "wheel").mkdir()
        shutil.move(built_wheel(context / "wheel"), context / "dist")
        with ThreadPoolExecutor() as builders:
            both = [
                builders.submit(running.build, file, context, tag=tag)
                for file, tag in zip(FILES, (IMAGE, POSTGRES), strict=True)
            ]
        for one in both:
            one.result()
        yield running


@pytest.fixture(scope="module")
def installed(podman: Podman) -> tuple[set[str], list[str]]:
    """Names of the packages in the image, and files of theirs that are not there."""
    names, missing = json.loads(podman.confined(IMAGE, "-c", INSTALLED, entrypoint="python"))
    return set(names), missing


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.parent.name)
def test_hadolint_finds_nothing(file: Path) -> None:
    """Not even something to remark on."""
    hadolint = Path(sys.executable).with_name("hadolint")
    Podman(folder=DEPLOY, variables={}).ran(str(hadolint), "--no-color", str(file))


@BUILDING
def test_the_image_is_small_and_says_what_it_is(podman: Podman) -> None:
    """With its base; it runs as an ordinary user wherever nobody says otherwise."""
    (about,) = json.loads(podman("image", "inspect", IMAGE))
    assert about["Size"] <= LARGEST
    assert about["User"] == "10001:10001"
    assert about["Labels"]["org.opencontainers.image.licenses"] == "Apache-2.0"


@BUILDING
def test_it_runs_confined(podman: Podman) -> None:
    """Nothing to write to, no capability, nothing gained by a program; and nothing to compile."""
    assert podman.confined(IMAGE, "--version").startswith("citebound ")
    look = f"""id -u; grep -E 'CapBnd|NoNewPrivs' /proc/self/status
        for name in {COMPILERS}; do command -v $name; done
        touch /opt/citebound/x /etc/x 2>&1; true"""
    told = podman.confined(IMAGE, "-c", look, entrypoint="sh").split("\n")
    assert told[:3] == ["10001", "CapBnd:\t" + "0" * 16, "NoNewPrivs:\t1"]
    assert [line.rpartition(": ")[2] for line in told[3:]] == ["Read-only file system"] * 2 + [""]


@BUILDING
def test_doctor_finds_all_that_answers_need(podman: Podman) -> None:
    """The weights are inside, and libraries work without what was left out of them."""
    told = podman.confined(IMAGE, "doctor")
    assert "Works." in told
    for model in ("embedder", "reader", "guard"):
        assert f"ok {model}" in told


@BUILDING
def test_the_list_of_its_parts_is_whole(
    podman: Podman, installed: tuple[set[str], list[str]]
) -> None:
    """The SBOM names each package that is there, and no other."""
    words = ("/opt/citebound/share/sbom.cdx.json",)
    listed = json.loads(podman.confined(IMAGE, *words, entrypoint="cat"))["components"]
    assert {one["name"].lower().replace("_", "-") for one in listed} == installed[0]


@BUILDING
def test_only_what_is_never_read_is_left_out(installed: tuple[set[str], list[str]]) -> None:
    """Licences stay, and so does all that a package could import."""
    needed = [
        name
        for name in installed[1]
        if not name.endswith(LEFT_OUT) and not FOLDERS_LEFT_OUT & set(Path(name).parts)
    ]
    assert [name for name in needed if "/__pycache__/" not in name] == []
    assert [name for name in installed[1] if ".dist-info/" in name] == []


@BUILDING
def test_the_demo_answers_and_is_healthy(podman: Podman) -> None:
    """From nothing: database, schema, samples, processes, and one question through Slack."""
    images = {"CITEBOUND_IMAGE": IMAGE, "CITEBOUND_POSTGRES_IMAGE": POSTGRES}
    podman = Podman(folder=podman.folder, variables={**podman.variables, **images})
    compose = (str(Path(sys.executable).with_name("podman-compose")), "-f", "compose.demo.yaml")
    try:
        told = podman.ran(*compose, "run", "--rm", "ask", cwd=DEPLOY)
        assert "within 4 hours" in told
        assert "Data Protection and Personal Data Breach Policy" in told
        for service in ("serve", "work"):
            assert is_healthy(podman, f"citebound-demo_{service}_1"), service
    except (AssertionError, CantRunError) as error:
        logs = [podman("logs", "--tail", "20", one) for one in podman("ps", "-aq").split()]
        raise AssertionError("\n".join([str(error), *logs])) from error
    finally:
        podman.ran(*compose, "down", "--volumes", cwd=DEPLOY)


@BUILDING
def test_the_image_alone_answers(podman: Podman) -> None:
    """As the page has it run, without a composition: it brings its own Postgres."""
    assert "run --rm --interactive --tty citebound:" in (ROOT / "docs/operate.md").read_text()
    assert "within 72 hours" in " ".join(podman("run", "--rm", IMAGE, "demo").split())


def test_what_makes_a_base_is_what_a_skip_says() -> None:
    """`.ci/run` makes its own by the same words."""
    said = shlex.split(MAKE_BASE.rpartition(" trixie")[0])[1:]
    made = shlex.split((ROOT / ".ci" / "run").read_text(), comments=True)
    assert said[:2] == ["--variant=minbase", PYTHON]
    assert set(said) <= set(made)


def is_healthy(podman: Podman, name: str) -> bool:
    """Run a health check as often as podman itself would, where systemd calls it."""
    for _ in range(3):
        podman("healthcheck", "run", name)
    (about,) = json.loads(podman("inspect", name))
    return about["State"]["Health"]["Status"] == "healthy"


@pytest.mark.parametrize("file", COMPOSITIONS, ids=lambda file: file.name)
def test_compositions_confine_all(file: Path) -> None:
    """Each service, whatever is added."""
    for name, service in services(file):
        assert service["cap_drop"] == ["ALL"], name
        assert "no-new-privileges:true" in service["security_opt"], name
        assert service.get("read_only") or "postgres" in service["image"], name


@pytest.mark.parametrize("file", COMPOSITIONS, ids=lambda file: file.name)
def test_nobody_depends_on_who_depends(file: Path) -> None:
    """Before 5.6, podman starts nothing that depends on a running service with dependencies."""
    found = dict(services(file))
    for name, service in found.items():
        for other in service.get("depends_on", ()):
            assert "depends_on" not in found[other], f"{name} -> {other}"


def services(file: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield each service of a composition."""
    yield from yaml.safe_load(file.read_text())["services"].items()
