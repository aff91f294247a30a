"""What a corpus holds, and what is wrong with it. Pure: values in, renderables out."""

import dataclasses
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import date

from rich.console import RenderableType
from rich.text import Text

from bot.console.views.terminal import Row, one_line
from bot.replies.sections import section_title
from core.adapters.postgres.corpus.corpus_report import CorpusCounts
from core.domain.codec import json_of
from core.domain.policy import NEVER, PolicyVersion, last_day_before
from core.language.spans import VersionId
from core.ontology.graphs.conflicts import Quote
from core.ontology.graphs.graph import OntologyGraph
from core.ontology.graphs.lint import Report

_QUOTE = 300
"""Characters of a quote at most; `--json` has all."""
_SHOWN = 10
"""Loose entities named at most; `--json` has all."""


def summary_view(counts: CorpusCounts, graph: OntologyGraph) -> Iterator[RenderableType]:
    """Return the counts of corpus and ontology, a figure a line."""
    yield Text(f"Edition {graph.snapshot.edition}", style="bold")
    for field in dataclasses.fields(counts):
        yield _figure(field.name, getattr(counts, field.name))
    yield Text("Entities", style="bold")
    for type_, number in sorted(graph.counts.items(), key=lambda item: -item[1]):
        yield _figure(type_.value, number)
    yield _figure("all", len(graph.snapshot.entities))
    yield Text("Relations", style="bold")
    for name, number in _relation_counts(graph).most_common():
        yield _figure(name, number)
    yield _figure("all", len(graph.snapshot.relations))


def summary_json(counts: CorpusCounts, graph: OntologyGraph) -> dict[str, object]:
    """Return the same as JSON."""
    return {
        "edition": graph.snapshot.edition,
        **dataclasses.asdict(counts),
        "entities": {type_.value: number for type_, number in graph.counts.items()},
        "relations": dict(_relation_counts(graph)),
    }


def policies_view(
    versions: Sequence[PolicyVersion], languages: Mapping[VersionId, str]
) -> Iterator[RenderableType]:
    """Return a row a policy: key, title, version, language, and what limits it."""
    if not versions:
        yield Text("No policy is in force in this scope.")
    width = max((len(one_line(version.metadata.key)) for version in versions), default=0)
    for version in versions:
        known = version.metadata
        title = f"{one_line(known.title)} {one_line(known.label or '')}".rstrip()
        facts = [
            _since(known.effective_from),
            f"until {last_day_before(known.effective_until)}" if known.effective_until else "",
            languages.get(version.version_id, ""),
            known.jurisdiction or "everywhere",
            f"for {', '.join(sorted(known.audience))}",
            f"tags {', '.join(sorted(known.tags))}" if known.tags else "",
            f"owner {known.owner}" if known.owner else "",
            f"classified {known.sensitivity}" if known.sensitivity else "",
            f"review by {known.review_by}" if known.review_by else "",
            f"verified by {known.verified_by}" if known.verified_by else "",
            known.url or "",
            f"edition {version.edition}",
        ]
        about = one_line(", ".join(filter(None, facts)))
        head = Text(f"{one_line(known.key):<{width}}", style="cyan")
        yield Row(heads=(head,), lines=(Text(title), Text(about, style="dim")))


def _since(first_day: date | None) -> str:
    if first_day == NEVER:
        return "draft or withdrawn: not in force"
    return f"in force since {first_day}" if first_day else ""


def policies_json(
    versions: Sequence[PolicyVersion], languages: Mapping[VersionId, str]
) -> list[dict[str, object]]:
    """Return the same as JSON."""
    return [
        {
            **dataclasses.asdict(version.metadata),
            "effective_until": last_day_before(version.metadata.effective_until),
            "audience": sorted(version.metadata.audience),
            "tags": sorted(version.metadata.tags),
            "language": languages.get(version.version_id),
            "version_id": version.version_id,
            "edition": version.edition,
            "source_name": version.source_name,
        }
        for version in versions
    ]


def altered_view(altered: Sequence[str]) -> Iterator[RenderableType]:
    """Return which stored versions are not what was published."""
    yield _title("Not as published", len(altered))
    for line in altered:
        yield _bullet(line)


def report_view(report: Report) -> Iterator[RenderableType]:
    """Return what lint found, worst first, and what it did not find."""
    yield _title("Conflicts", len(report.conflicts))
    for conflict in report.conflicts:
        yield _bullet(
            conflict.reason, *(_quoted(quote) for quote in (conflict.first, conflict.second))
        )
    yield _title("Dangling references", len(report.dangling))
    for dangling in report.dangling:
        found = f"{dangling.found.policy_key}: “{dangling.found.words}”"
        yield _bullet(found, dangling.reason)
    yield _title("Duplicates", len(report.duplicates))
    for pair in report.duplicates:
        yield _bullet(f"{pair.first.name} / {pair.second.name} ({pair.first.type})", pair.reason)
    yield _title("Entities without a relation (no problem by themselves)", len(report.isolated))
    for entity in report.isolated[:_SHOWN]:
        yield _bullet(f"{entity.type} {entity.name}")
    if len(report.isolated) > _SHOWN:
        yield _bullet(f"and {len(report.isolated) - _SHOWN} more")


def report_json(report: Report) -> dict[str, object]:
    """Return the same as JSON."""
    return {
        "conflicts": [
            json_of(
                conflict,
                "kind reason first second",
                first=_quote_json(conflict.first),
                second=_quote_json(conflict.second),
            )
            for conflict in report.conflicts
        ],
        "dangling": [
            {"policy": item.found.policy_key, "words": item.found.words, "reason": item.reason}
            for item in report.dangling
        ],
        "duplicates": [
            {"first": pair.first.key, "second": pair.second.key, "reason": pair.reason}
            for pair in report.duplicates
        ],
        "isolated": [entity.key for entity in report.isolated],
    }


def _relation_counts(graph: OntologyGraph) -> Counter[str]:
    return Counter(relation.type.value for relation in graph.snapshot.relations)


def _figure(name: str, number: int) -> Text:
    return Text(f"  {name:<16} {number:>9,}")


def _title(name: str, number: int) -> Text:
    return Text(f"{name}: {number or 'none'}", style="bold")


def _bullet(*lines: str) -> Row:
    shown = tuple(Text(one_line(line, limit=_QUOTE)) for line in lines)
    return Row(heads=(Text(" -"),), lines=shown)


def _quoted(quote: Quote) -> str:
    return f"{one_line(section_title(quote.place))}: “{quote.text}”"


def _quote_json(quote: Quote) -> dict[str, object]:
    return json_of(quote, "policy=place.policy_key section=place.number place.title quote=text")
