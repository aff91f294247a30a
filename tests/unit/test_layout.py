"""How the code reads, as far as a test can tell."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MODULES = sorted([*(ROOT / "bot").rglob("*.py"), *(ROOT / "core").rglob("*.py")])
DOMAIN = sorted((ROOT / "core" / "domain").glob("*.py"))
CAP_LINES = 400
"""The aim is about 350; this is where a file is certainly two."""
WHOLE = frozenset({"core/adapters/postgres/engine/tables.py"})
"""Long and yet of one idea: all tables, once."""


def _name(path: Path) -> str:
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize("path", MODULES, ids=_name)
def test_each_module_says_what_it_is_for(path: Path) -> None:
    """A module without a docstring has no idea."""
    assert ast.get_docstring(ast.parse(path.read_text()))


@pytest.mark.parametrize("path", MODULES, ids=_name)
def test_no_module_outgrows_its_idea(path: Path) -> None:
    """A long file holds a second idea."""
    if _name(path) not in WHOLE:
        assert len(path.read_text().splitlines()) <= CAP_LINES


@pytest.mark.parametrize("path", DOMAIN, ids=_name)
def test_each_field_of_the_domain_says_what_it_means(path: Path) -> None:
    """Unit, range, and when it is None stand under each field of a dataclass."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ClassDef) and _is_dataclass(node) and node.name[0] != "_":
            for field, following in zip(node.body, [*node.body[1:], None], strict=True):
                if isinstance(field, ast.AnnAssign):
                    assert _is_docstring(following), f"{node.name}.{ast.unparse(field.target)}"


@pytest.mark.parametrize("path", DOMAIN, ids=_name)
def test_values_are_frozen(path: Path) -> None:
    """No dataclass of the domain can be changed."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ClassDef) and _is_dataclass(node):
            assert "frozen=True" in " ".join(map(ast.unparse, node.decorator_list)), node.name


def _is_dataclass(node: ast.ClassDef) -> bool:
    return any("dataclass" in ast.unparse(decorator) for decorator in node.decorator_list)


def _is_docstring(node: ast.stmt | None) -> bool:
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )
