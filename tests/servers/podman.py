"""Podman with a store, settings and networks of its own: what it makes is gone afterwards.

It needs root, and a machine that lets it mount, limit and connect: where it can't, tests skip with
its own words. The base of the images is a file system that `.ci/run` makes.
"""

import contextlib
import os
import shutil
import subprocess
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.databases import new_home

ABSENT = "podman can't run"
"""How the reason of a skip begins."""
MAKE_BASE = (
    "mmdebstrap --variant=minbase --include=ca-certificates,python3,python3-venv"
    " --aptopt='Acquire::Check-Valid-Until \"false\"' trixie base.tar"
)
"""What makes a base."""
PACKAGES = "podman runc netavark aardvark-dns iptables mmdebstrap"
"""Debian's, of which `.ci/run` installs what is missing."""
BASE = "localhost/base:test"
CERTIFICATES = Path("/etc/ssl/certs/ca-certificates.crt")
"""The machine may trust authorities that the base does not know."""
WITHIN_S = 600.0

_CONTAINERS = """
[containers]
default_ulimits = ["nofile=20000:20000", "nproc=4096:4096"]
[engine]
runtime = "runc"
lock_type = "file"
tmp_dir = "{folder}/tmp"
cgroup_manager = "cgroupfs"
events_logger = "file"
[network]
network_backend = "netavark"
network_config_dir = "{folder}/networks"
"""
_STORAGE = """
[storage]
driver = "{driver}"
graphroot = "{folder}/store"
runroot = "{folder}/run"
"""
_CONFINED = (
    *("--read-only", "--tmpfs", "/tmp", "--user", "10001:10001", "--cap-drop", "all"),  # noqa: S108
    *("--security-opt", "no-new-privileges", "--memory", "1g"),
)


class CantRunError(Exception):
    """Podman refused; the text says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Podman:
    """Runs podman with settings of its own."""

    folder: Path
    variables: Mapping[str, str]

    def __call__(self, *words: str) -> str:
        """Run podman, and return what it printed.

        Raises:
            CantRunError: It ended with an error.
        """
        return self.ran("podman", *words)

    def ran(self, *words: str, cwd: Path | None = None) -> str:
        """Run a program that runs podman; otherwise as above."""
        done = subprocess.run(  # noqa: S603  # our own words
            words,
            env=self.variables,
            cwd=cwd,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=WITHIN_S,
        )
        if done.returncode:
            raise CantRunError(f"{' '.join(words[:3])}: {done.stdout[-2000:]}{done.stderr[-2000:]}")
        return done.stdout

    def build(self, file: Path, context: Path, *, tag: str) -> None:
        """Build an image; downloads come by the machine's own network."""
        words = ["--file", str(file), "--tag", tag, "--build-arg", f"BASE={BASE}"]
        words += ["--isolation", "chroot", "--network", "host", "--format", "docker"]
        words += ["--layers=false"]  # none is used again
        words += ["--ulimit", "nofile=20000:20000", "--ulimit", "nproc=4096:4096"]
        if CERTIFICATES.exists():
            words += ["--volume", f"{CERTIFICATES}:{CERTIFICATES}:ro"]
        self("build", *words, str(context))

    def confined(self, image: str, *words: str, entrypoint: str | None = None) -> str:
        """Run an image as the composition does, without a network."""
        given = ["--entrypoint", entrypoint] if entrypoint else []
        return self("run", "--rm", "--network", "none", *_CONFINED, *given, image, *words)


@contextmanager
def need_podman() -> Generator[Podman]:
    """Yield podman with the base imported; skip the test where it can't run."""
    given = os.environ.get("CITEBOUND_TEST_BASE")  # noqa: TID251  # tests have no settings
    if not given:
        pytest.skip(
            f"{ABSENT} without a base: as root, `{MAKE_BASE}`, then"
            " `CITEBOUND_TEST_BASE=base.tar make test`"
        )
    if os.geteuid() != 0 or shutil.which("podman") is None:
        pytest.skip(f"{ABSENT}: as root, install Debian's packages {PACKAGES}")
    folder = new_home()
    try:
        podman = _that_works(folder, base=given)
    except CantRunError as error:
        pytest.skip(f"{ABSENT} here: {error}")
    try:
        yield podman
    finally:
        _remove(folder, podman)


def _that_works(folder: Path, *, base: str) -> Podman:
    """Return podman with the first way to keep images that works here."""
    (folder / "containers.conf").write_text(_CONTAINERS.format(folder=folder))
    found = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}  # noqa: TID251
    found |= {"CONTAINERS_CONF": f"{folder}/containers.conf"}
    for driver in ("overlay", "vfs"):
        storage = folder / f"{driver}.conf"
        storage.write_text(_STORAGE.format(folder=folder / driver, driver=driver))
        variables = found | {"CONTAINERS_STORAGE_CONF": str(storage)}
        podman = Podman(folder=folder, variables=variables)
        try:
            _try(podman, base)
        except CantRunError:
            _remove(folder / driver, podman)
            if driver == "vfs":
                shutil.rmtree(folder, ignore_errors=True)
                raise
        else:
            return podman
    raise AssertionError


def _try(podman: Podman, base: str) -> None:
    """Find another container by its name, confined as the product is."""
    podman("import", "--quiet", base, BASE)
    podman("network", "create", "tried")
    network = ("--network", "tried", "--network-alias", "other")
    podman("run", "--rm", *network, *_CONFINED, BASE, "getent", "hosts", "other")
    podman("network", "rm", "tried")


def _remove(folder: Path, podman: Podman) -> None:
    """Leave no container, network, mount or file."""
    mounted = str(podman.folder / "overlay" / "store" / "overlay")
    for words in (
        ("podman", "rm", "--all", "--force", "--time", "0"),
        ("podman", "network", "prune", "--force"),
        ("umount", "--lazy", mounted),
    ):
        with contextlib.suppress(CantRunError):
            podman.ran(*words)
    shutil.rmtree(folder, ignore_errors=True)
