"""How the code reads, as far as a test can tell."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
ROOMS = ("bot", "core", "evals/measuring")
MODULES = sorted(path for room in ROOMS for path in (ROOT / room).rglob("*.py"))
PURE = ("domain", "grounding", "language")
DOMAIN = sorted(path for room in PURE for path in (ROOT / "core" / room).rglob("*.py"))
PAGE = re.compile(r"\b(?:[\w-]+/)*([\w-]+\.md)\b")
IN_EXAMPLES = {("core/ingest/compare.py", "gifts.md")}
"""Files of somebody's corpus."""


def _name(path: Path) -> str:
    return str(path.relative_to(ROOT))


def test_each_module_says_what_it_is_for() -> None:
    """A module without a docstring has no idea."""
    assert [_name(path) for path in MODULES if not ast.get_docstring(_tree(path))] == []


def test_each_field_of_the_domain_says_what_it_means() -> None:
    """Unit, range, and when it is None stand under each field of a dataclass, or in its setting."""
    assert [
        f"{_name(path)}: {node.name}.{ast.unparse(field.target)}"
        for path, node in _dataclasses()
        if node.name[0] != "_"
        for field, following in zip(node.body, [*node.body[1:], None], strict=True)
        if isinstance(field, ast.AnnAssign)
        and not _is_docstring(following)
        and not ast.unparse(field.value or field.target).startswith("setting('")
    ] == []


def test_values_are_frozen() -> None:
    """No dataclass of the domain can be changed."""
    assert [
        f"{_name(path)}: {node.name}"
        for path, node in _dataclasses()
        if "frozen=True" not in " ".join(map(ast.unparse, node.decorator_list))
    ] == []


def test_no_public_class_name_stands_twice() -> None:
    """A name that means two things has to be looked up each time."""
    found: dict[str, list[str]] = {}
    for path in MODULES:
        for node in _tree(path).body:
            if isinstance(node, ast.ClassDef) and node.name[0] != "_":
                found.setdefault(node.name, []).append(_name(path))
    assert {name: paths for name, paths in found.items() if len(paths) > 1} == {}


def test_no_module_but_one_makes_a_day_of_an_instant() -> None:
    """A day needs a time zone: `Clock.today`, `Clock.day_of` or `day_in` know it."""
    made = [
        f"{_name(path)}:{node.lineno}"
        for path in MODULES
        for node in ast.walk(_tree(path))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "date"
        and not node.args
    ]
    assert [one.partition(":")[0] for one in made] == ["core/time_zones.py"], made


def test_comments_name_pages_that_there_are() -> None:
    """Whoever reads on finds the page."""
    pages = {path.name for path in ROOT.glob("**/*.md") if ".venv" not in path.parts}
    named = {(_name(path), page) for path in MODULES for page in PAGE.findall(path.read_text())}
    assert {(name, page) for name, page in named if page not in pages} == IN_EXAMPLES


@cache
def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text())


def _dataclasses() -> Iterator[tuple[Path, ast.ClassDef]]:
    """Yield each dataclass of the domain with its file."""
    for path in DOMAIN:
        for node in ast.walk(_tree(path)):
            if isinstance(node, ast.ClassDef) and _is_dataclass(node):
                yield path, node


def _is_dataclass(node: ast.ClassDef) -> bool:
    return any("dataclass" in ast.unparse(decorator) for decorator in node.decorator_list)


def _is_docstring(node: ast.stmt | None) -> bool:
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )
