"""The import rule is a test."""

import ast
import sys
from pathlib import Path

import pytest
from importlinter.cli import lint_imports

ROOT = Path(__file__).parents[2]
PURE = ("domain", "expressions", "grounding", "language", "ports", "time_zones")
"""Rooms of `core`, and modules, that everything else rests on."""
MODULES = [
    ROOT / "core" / "expressions.py",
    ROOT / "core" / "time_zones.py",
    *sorted(path for room in PURE for path in (ROOT / "core" / room).rglob("*.py")),
]


def test_the_layers_hold(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every contract in pyproject.toml is kept."""
    # It configures logging, and with that disables every logger for the tests that follow.
    monkeypatch.setattr("logging.config.dictConfig", lambda _: None)  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType]
    code = lint_imports(config_filename=str(ROOT / "pyproject.toml"), cache_dir=None)
    assert code == 0, capsys.readouterr().out


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)
def test_the_pure_rooms_import_the_standard_library_alone(path: Path) -> None:
    """What everything depends on depends on nothing."""
    allowed = sys.stdlib_module_names | {"core"}
    for node in ast.walk(ast.parse(path.read_text())):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [node.module or ""]
        for name in names:
            assert name.split(".")[0] in allowed
            assert not name.startswith("core.") or name.startswith(
                tuple(f"core.{room}" for room in PURE)
            )
