"""`citebound corpus`: counts, lists, checks and draws what was ingested.

Without `--group`, these commands see the policies of every audience: they are for the keepers of
the corpus.
"""

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from bot.console.options import scope_options
from bot.console.stores import check_corpus
from bot.console.views.corpus_view import (
    altered_view,
    policies_json,
    policies_view,
    report_json,
    report_view,
    summary_json,
    summary_view,
)
from bot.console.views.terminal import Terminal, open_terminal, safe
from core.adapters.postgres.corpus_stores import CorpusStores
from core.domain.errors import UsageError
from core.domain.policy import NEVER
from core.domain.question import Scope
from core.ingest.languages import language_name, language_of_text
from core.ontology.graphs.graph import OntologyGraph, build_graph, to_graphml, to_html
from core.ontology.graphs.lint import lint
from core.opening import open_stores

EXIT_PROBLEMS = 1
TOLD_BY = 20_000
"""Characters of a policy that tell its language."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Corpus:
    terminal: Terminal
    as_json: bool
    scope: Scope
    stores: CorpusStores

    async def graph(self) -> OntologyGraph:
        with self.terminal.busy("Reading the ontology"):
            snapshot = await self.stores.ontology.snapshot(self.scope)
            return await asyncio.to_thread(build_graph, snapshot)


def summary(*, as_json: bool, **scope: Any) -> int:
    """Count what is in scope."""
    return asyncio.run(_act(_summary, as_json=as_json, scope=scope))


def list_policies(*, as_json: bool, **scope: Any) -> int:
    """List the policies in force."""
    return asyncio.run(_act(_list, as_json=as_json, scope=scope))


def validate(*, as_json: bool, **scope: Any) -> int:
    """Check the ontology; 1 if there is a problem."""
    return asyncio.run(_act(_validate, as_json=as_json, scope=scope))


def draw_graph(*, output: Path, as_json: bool, **scope: Any) -> int:
    """Write the ontology to a file."""
    if output.suffix not in {".html", ".graphml"}:
        raise UsageError(f"expected a file named .html or .graphml, got {output.name!r}")
    return asyncio.run(_act(partial(_graph, output), as_json=as_json, scope=scope))


async def _act(
    action: Callable[[_Corpus], Coroutine[Any, Any, int]], *, as_json: bool, scope: dict[str, Any]
) -> int:
    """Open the corpus; without `--group`, in the scope of every audience.

    Raises:
        EmptyCorpusError: Nothing was ever ingested.
        UsageError: The edition asked for does not exist yet.
    """
    options = scope_options(**scope)
    async with open_stores(CorpusStores) as stores:
        await check_corpus(stores, options)
        groups = options.groups
        if not options.names_groups:
            groups |= await stores.report.groups()
        return await action(
            _Corpus(
                terminal=open_terminal(),
                as_json=as_json,
                scope=Scope(
                    as_of=options.as_of or stores.clock.today(options.jurisdiction),
                    edition=options.edition,
                    groups=groups,
                    jurisdiction=options.jurisdiction,
                    tags=options.tags,
                ),
                stores=stores,
            )
        )


async def _summary(corpus: _Corpus) -> int:
    counts, graph = await corpus.stores.report.counts(corpus.scope), await corpus.graph()
    if corpus.as_json:
        corpus.terminal.show_json(summary_json(counts, graph))
    else:
        corpus.terminal.show(*summary_view(counts, graph))
    return 0


async def _list(corpus: _Corpus) -> int:
    read = corpus.stores.corpus.versions
    versions = await read(corpus.scope)
    newest = {version.metadata.key: version.edition for version in versions}
    versions += [
        version
        for version in await read(replace(corpus.scope, as_of=NEVER))
        if version.metadata.effective_from == NEVER
        and version.edition > newest.get(version.metadata.key, 0)
    ]
    begun = await corpus.stores.report.beginnings(
        [one.version_id for one in versions], characters=TOLD_BY
    )
    languages = {version: language_name(language_of_text(text)) for version, text in begun.items()}
    if corpus.as_json:
        corpus.terminal.show_json(policies_json(versions, languages))
    else:
        corpus.terminal.show(*policies_view(versions, languages))
    return 0


async def _validate(corpus: _Corpus) -> int:
    graph = await corpus.graph()
    references = await corpus.stores.report.references(corpus.scope)
    report = await asyncio.to_thread(lint, graph, references.found, references.policies)
    altered = await corpus.stores.report.altered()
    if corpus.as_json:
        corpus.terminal.show_json({"altered": altered, **report_json(report)})
    else:
        corpus.terminal.show(*altered_view(altered), *report_view(report))
    problems = (altered, report.conflicts, report.dangling, report.duplicates)
    return EXIT_PROBLEMS if any(problems) else 0


async def _graph(output: Path, corpus: _Corpus) -> int:
    graph = await corpus.graph()
    draw = to_html if output.suffix == ".html" else to_graphml
    drawn = await asyncio.to_thread(draw, graph)
    try:
        await asyncio.to_thread(output.write_text, drawn, encoding="utf-8")
    except OSError as error:
        raise UsageError(
            f"{output} can't be written: {error.strerror}; choose another -o"
        ) from error
    found = {
        "file": str(output),
        "entities": len(graph.snapshot.entities),
        "relations": len(graph.snapshot.relations),
    }
    if corpus.as_json:
        corpus.terminal.show_json(found)
    else:
        words = f"{found['entities']} entities and {found['relations']} relations in {output}"
        corpus.terminal.show(safe(words))
    return 0
