"""How much code there is: lines that are no docstring, no comment and not blank.

    python -m tests.size            prints them by package, with docstrings and modules

The lines of `bot` and `core` that were last accepted stand in `pyproject.toml`; `make check` fails
above them. Whoever adds something pays for it elsewhere, and lowers the figure where the code fell.
Those of `evals` stand below and count for nothing, so that what moved there can be seen.
"""

import ast
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
_DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def docstring_lines(source: str) -> set[int]:
    """Return the numbers of the lines of docstrings, those below a field included."""
    return {
        line
        for node in ast.walk(ast.parse(source))
        if isinstance(node, _DOCUMENTED)
        for statement in node.body
        if isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Constant)
        and isinstance(statement.value.value, str)
        for line in range(statement.lineno, (statement.end_lineno or statement.lineno) + 1)
    }


def code_lines(source: str) -> int:
    """Return how many lines of a module are code."""
    documented = docstring_lines(source)
    return sum(
        bool(line.strip()) and not line.lstrip().startswith("#") and number not in documented
        for number, line in enumerate(source.splitlines(), 1)
    )


def measured(*rooms: str) -> Iterator[tuple[str, int, int]]:
    """Return package, lines of code and of docstrings of each module; without rooms the product."""
    for room in rooms or ("bot", "core"):
        for path in sorted((ROOT / room).rglob("*.py")):
            source = path.read_text()
            package = ".".join(path.relative_to(ROOT).parts[:2]).removesuffix(".py")
            yield package, code_lines(source), len(docstring_lines(source))


def accepted() -> int:
    """Return the lines of code that were last accepted."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())
    return int(settings["tool"]["citebound"]["code-lines"])


def main() -> int:
    """Print the figures; 1: there is more than was accepted."""
    print(f"{'package':24}{'code':>8}{'docstrings':>12}{'modules':>9}")
    total, most = _show("all"), accepted()
    _show("evals, not counted", "evals")
    if total > most:
        print(f"{total - most:,} lines more than the {most:,} of pyproject.toml", file=sys.stderr)
    return int(total > most)


def _show(title: str, *rooms: str) -> int:
    """Print the figures of rooms by package, and their sum; return the lines of code."""
    code, documented, modules = Counter[str](), Counter[str](), Counter[str]()
    for package, lines, said in measured(*rooms):
        code[package] += lines
        documented[package] += said
        modules[package] += 1
    for package, lines in code.most_common():
        print(f"{package:24}{lines:8,}{documented[package]:12,}{modules[package]:9,}")
    print(f"{title:24}{code.total():8,}{documented.total():12,}{modules.total():9,}")
    return code.total()


if __name__ == "__main__":
    sys.exit(main())
