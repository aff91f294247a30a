"""An ordinary run is the same everywhere: its examples, and how its children take Ctrl-C."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import settings

from tests.properties import NIGHTLY_FACTOR, examples

ROOT = Path(__file__).parents[2]
SEARCH = """
import importlib.util, json, sys
from hypothesis import given, strategies as st
from tests.properties import always_alike, load_profile

load_profile(at_random=sys.argv[1] == "nightly")
for file in sys.argv[2:]:
    spec = importlib.util.spec_from_file_location("other", file)
    sys.modules["other"] = importlib.util.module_from_spec(spec)
seen = []

@given(st.lists(st.integers() | st.text()))
def law(given):
    seen.append(given)

if sys.argv[1] == "ordinary":
    always_alike(law, name="law")
law()
print(json.dumps(seen))
"""


def searched(profile: str, *imported: str, hash_seed: int = 1) -> list[object]:
    """Return the examples of a property in a process of its own."""
    done = subprocess.run(  # noqa: S603  # our own words
        [sys.executable, "-c", SEARCH, profile, *imported],
        env={"PYTHONPATH": str(ROOT), "PYTHONHASHSEED": str(hash_seed), "CI": "1"},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(done.stdout)


def test_an_ordinary_run_searches_alike_whatever_is_imported(tmp_path: Path) -> None:
    """Not the constants of other modules, which Hypothesis tries too; nightly is another matter."""
    other = tmp_path / "other.py"
    other.write_text("CONSTANTS = [" + ", ".join(str(7_919 * n) for n in range(1, 200)) + "]\n")
    ordinary = searched("ordinary")
    assert len(ordinary) >= 50
    assert searched("ordinary", str(other), hash_seed=2) == ordinary
    nightly = searched("nightly")
    assert len(nightly) >= 50 * NIGHTLY_FACTOR
    assert nightly[:50] != ordinary[:50]


def test_no_property_undoes_the_profile() -> None:
    """Of settings of its own a property has `examples` alone, which leave the rest as it is."""
    files = [file for file in (ROOT / "tests").rglob("*.py") if file.name != "properties.py"]
    texts = {file.name: file.read_text() for file in files if file != Path(__file__)}
    words = ("import given, settings", "HealthCheck, settings", "given, seed", "derandomize=")
    assert [name for name, text in texts.items() if any(word in text for word in words)] == []
    own = examples(7)
    default = settings.get_profile("ordinary")
    assert (own.deadline, own.database) == (default.deadline, default.database) == (None, None)


@pytest.mark.slow
def test_a_run_in_the_background_passes_where_ctrl_c_is_sent() -> None:
    """A shell has it ignore Ctrl-C, which children inherit: tests give theirs what they need."""
    test = "test_a_parent_that_is_killed_takes_the_child_along[2]"  # SIGINT
    words = ["-m", "pytest", f"tests/unit/ingest/test_sandbox.py::{test}", "-p", "no:cacheprovider"]
    done = subprocess.run(  # noqa: S603  # our own words
        ["/bin/sh", "-c", "trap '' INT; exec \"$@\"", "sh", sys.executable, *words],
        env={name: value for name, value in os.environ.items() if name != "PYTEST_XDIST_WORKER"},  # noqa: TID251
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert " 1 passed" in done.stdout, done.stdout + done.stderr
