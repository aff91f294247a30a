"""Cut policy documents into the units that the product quotes, with the product's own code.

    python -m evals.training.policies DOCUMENTS.json MIRROR SHARED OUT.jsonl

DOCUMENTS lists repositories with licences and paths, MIRROR holds their clones as `owner+name`,
SHARED the documents of the repository `shared`. One line a document: ``doc``, ``title``,
``source``, ``licence`` and ``units``, each with its section, headings and lead-in, in text order.
"""

import json
import re
import subprocess
import sys
from pathlib import Path

from core.agent.evidence_text import passages_of
from core.domain.evidence import EvidenceItem
from core.domain.ontology import SectionRef
from core.ingest.prepare import prepare
from core.language.spans import Span, VersionId

_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
_VARIABLE = re.compile(r"\{\{\s*[\w.]*?(\w+)\s*\}\}")
_MARKUP = (
    (re.compile(r"\A---\n.*?\n---\n", re.DOTALL), ""),  # front matter
    (re.compile(r"\A(?:name|id): .*?---\n", re.DOTALL), ""),  # the same, without an opening rule
    (re.compile(r"<!--.*?-->", re.DOTALL), ""),
    (re.compile(r"\{%.*?%\}", re.DOTALL), ""),
    (_LINK, r"\1"),
)
_LATER_MARKUP = (
    (re.compile(r"</?(?:a|b|i|u|div|span|p|br|img|details|summary|sup|strong|em)\b[^>]*>"), ""),
    (re.compile(r"\{:?[#.][^}]*\}"), ""),
    (re.compile(r":[a-z_]+:"), ""),
    (re.compile(r"\*\*|__|(?<!\w)\*(?=\w)|(?<=\w)\*(?!\w)|`"), ""),
)


def clean(text: str) -> str:
    """Drop what a renderer would drop: front matter, targets of links, variables, HTML."""
    for pattern, by in _MARKUP:
        text = pattern.sub(by, text)
    text = _VARIABLE.sub(lambda match: "the Company" if _names(match[1]) else match[1], text)
    for pattern, by in _LATER_MARKUP:
        text = pattern.sub(by, text)
    return text


def _names(variable: str) -> bool:
    return variable == "Name" or "ompan" in variable


def shown(mirror: Path, repository: str, path: str) -> bytes:
    """Return a file of a cloned repository."""
    folder = mirror / repository.replace("/", "+")
    words = ["git", "-C", str(folder), "show", f"HEAD:{path}"]
    return subprocess.run(words, check=True, capture_output=True).stdout  # noqa: S603


def listed(mirror: Path, repository: str, pattern: str) -> list[str]:
    """Return the paths of a cloned repository that a pattern finds."""
    folder = mirror / repository.replace("/", "+")
    words = ["git", "-C", str(folder), "ls-tree", "-r", "--name-only", "HEAD"]
    found = subprocess.run(words, check=True, capture_output=True)  # noqa: S603
    return [path for path in found.stdout.decode().splitlines() if re.search(pattern, path)]


def units_of(data: bytes, *, name: str) -> tuple[str, list[dict[str, object]]]:
    """Return a document's title and its units."""
    prepared = prepare(data, source_name=name)
    text, title = prepared.document.text, prepared.metadata.title
    units: list[dict[str, object]] = []
    for section in prepared.sections:
        body = text[section.body_start : section.char_end]
        if not body.strip():
            continue
        item = EvidenceItem(
            key="c1",
            kind="chunk",
            span=Span(
                version_id=VersionId(1), char_start=section.body_start, char_end=section.char_end
            ),
            text=body,
            place=SectionRef(
                policy_key=prepared.metadata.key,
                policy_title=title,
                version_label=None,
                jurisdiction=None,
                eid=section.eid,
                number=section.number,
                title=section.title,
                page=None,
                path=section.path,
            ),
            relevance=None,
        )
        for passage in passages_of([item]):
            units += [
                {
                    "path": list(section.path),
                    "section": section.eid,
                    "text": " ".join(unit.text.split()),
                    "lead": " ".join(unit.lead_in.text.split()) if unit.lead_in else None,
                    "head": unit.introduces,
                }
                for unit in passage.units
                if unit.introduces or unit.text.strip("-=_* |#>")
            ]
    return title, units


def main(documents: Path, mirror: Path, shared: Path, out: Path) -> None:
    """Cut every listed document."""
    with out.open("w") as file:
        for source in json.loads(documents.read_text()):
            repository = source["repo"]
            for path in source["paths"]:
                is_shared = repository == "shared"
                data = (
                    (shared / path).read_bytes() if is_shared else shown(mirror, repository, path)
                )
                name = re.sub(r"\.md\.tmpl$", ".md", Path(path).name)
                if name.endswith(".md"):
                    data = clean(data.decode()).encode()
                title, units = units_of(data, name=name)
                stem = Path(path).stem.replace(".md", "")
                line = {
                    "doc": f"{repository.split('/')[-1]}/{stem}",
                    "title": title,
                    "source": f"{repository}:{path}",
                    "licence": source["licence"],
                    "units": units,
                }
                file.write(json.dumps(line) + "\n")


if __name__ == "__main__":
    main(*(Path(argument) for argument in sys.argv[1:]))
