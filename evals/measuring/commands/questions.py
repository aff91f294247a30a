"""`citebound eval generate` and `eval questions`: test questions from a deployment's own policies.

What is drafted is stored, and counts for nothing until an officer accepts it in the console.
"""

import asyncio
import json
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

from rich.text import Text

from bot.console.options import ScopeOptions
from bot.console.stores import check_corpus
from bot.console.views.terminal import Row, Terminal, one_line, open_terminal
from core.adapters.postgres.stores import PostgresStores
from core.config.settings import Settings
from core.domain.errors import ConfigError, UsageError
from core.domain.policy import EVERYONE
from core.domain.question import Scope
from core.domain.question_draft import DraftState, KeptDraft, QuestionDraft
from core.language.content_words import content_words
from evals.measuring.claude.question_writer import estimating_writer, open_question_writer
from evals.measuring.claude.writing import write_questions
from evals.measuring.commands.opening import opened_stores
from evals.measuring.drafting.by_rules import Corpus, Wanted, drafts_by_rules
from evals.measuring.drafting.export import line_of
from evals.measuring.questions import DRAFTED_KINDS
from evals.measuring.run_files import write_text

CLAUDE = "claude"
_BATCH = 25
"""Drafts that are stored at once: whoever interrupts keeps the batches before."""
_QUESTION_LENGTH = 160
"""Characters of a question in a list."""


def generate(
    *, kinds: frozenset[str], policies: list[str], out: Path | None, as_json: bool, **wanted: Any
) -> int:
    """Draft questions and store them; 0."""
    unknown = sorted(kinds - set(DRAFTED_KINDS))
    if unknown:
        raise UsageError(f"there is no kind {unknown[0]!r}: name {', '.join(DRAFTED_KINDS)}")
    options = Wanted(
        kinds=kinds or frozenset(DRAFTED_KINDS), policies=frozenset(policies), **wanted
    )
    asyncio.run(_generate(open_terminal(), options, out=out, as_json=as_json))
    return 0


async def _generate(
    terminal: Terminal, options: Wanted, *, out: Path | None, as_json: bool
) -> None:
    settings = Settings.from_environment()
    async with opened_stores(terminal, settings) as stores:
        scope = await whole_scope(stores)
        await _check_policies(stores, scope, options.policies)
        if options.by == CLAUDE:
            added = await _by_claude(terminal, stores, scope, settings, options)
        else:
            added = await _by_rules(terminal, stores, scope, options)
        waiting = await stores.question_drafts.listed(DraftState.DRAFT)
        known = await stores.question_drafts.counts()
    if out is not None and not options.dry_run:
        _write(terminal, out, waiting)
    if as_json:
        counts = {state.value: count for state, count in known.items()}
        terminal.show_json({"added": added, **counts, "dry_run": options.dry_run})
    elif not options.dry_run:
        terminal.remark_unwrapped(_told(added, known))


def _told(added: int, known: Mapping[DraftState, int]) -> str:
    new = f"{added} drafts are new" if added != 1 else "1 draft is new"
    return (
        f"{new}, {known[DraftState.DRAFT]} wait for an officer"
        " (console, Questions); none counts before it is accepted"
    )


async def whole_scope(stores: PostgresStores) -> Scope:
    """Return the scope of all policies in force, whoever may read them.

    Raises:
        EmptyCorpusError: Nothing was ever ingested.
    """
    await check_corpus(stores, ScopeOptions())
    groups = frozenset({EVERYONE}) | await stores.report.groups()
    return Scope(as_of=stores.clock.today(), groups=groups)


async def _check_policies(stores: PostgresStores, scope: Scope, wanted: Iterable[str]) -> None:
    there = {one.metadata.key for one in await stores.corpus.versions(scope)}
    unknown = sorted(set(wanted) - there)
    if unknown:
        raise UsageError(
            f"there is no policy {unknown[0]!r} in force: `citebound corpus list` names them"
        )


async def _by_rules(
    terminal: Terminal, stores: PostgresStores, scope: Scope, options: Wanted
) -> int:
    with terminal.busy("Reading the policies"):
        corpus = await read_corpus(stores, scope)
        found = await asyncio.to_thread(drafts_by_rules, corpus, options)
    if not found:
        terminal.remark_unwrapped(_nothing(corpus, options))
        return 0
    chosen = found[: options.limit]
    if options.dry_run:
        terminal.show(*_rows(chosen))
        terminal.remark_unwrapped(f"{len(chosen)} of {len(found)} questions; nothing was stored")
        return 0
    known = await stores.question_drafts.keys()
    return await _stored(terminal, stores, [one for one in chosen if one.key not in known])


async def read_corpus(stores: PostgresStores, scope: Scope) -> Corpus:
    """Read what rules draft from, all of a scope at once."""
    versions = await stores.corpus.versions(scope)
    return Corpus(
        snapshot=await stores.ontology.snapshot(scope),
        versions={one.version_id: one for one in versions},
        said=await asyncio.to_thread(_stems, await stores.question_drafts.texts(scope)),
    )


def _nothing(corpus: Corpus, options: Wanted) -> str:
    if not corpus.snapshot.entities:
        return "The policies hold no facts to ask about: `citebound corpus summary` counts them"
    where = "these policies" if options.policies else "the policies"
    return f"No rule of {where} is plain enough to make such a question of it by rules"


def _stems(texts: Sequence[str]) -> frozenset[str]:
    return frozenset[str]().union(*map(content_words, texts))


async def _stored(
    terminal: Terminal, stores: PostgresStores, drafts: Sequence[QuestionDraft]
) -> int:
    added = 0
    with terminal.progress("Storing", total=len(drafts), done=0) as advance:
        for start in range(0, len(drafts), _BATCH):
            batch = drafts[start : start + _BATCH]
            added += len(await stores.question_drafts.add(batch))
            for _ in batch:
                advance()
    return added


async def _by_claude(
    terminal: Terminal,
    stores: PostgresStores,
    scope: Scope,
    settings: Settings,
    options: Wanted,
) -> int:
    """Have Claude write questions.

    Raises:
        ConfigError: There is no access to it.
    """
    access = replace(settings, reasoner="auto")
    if not options.dry_run and not access.uses_model:
        raise ConfigError("--by claude needs access to it: set ANTHROPIC_API_KEY")
    async with AsyncExitStack() as stack:
        writer = (
            await asyncio.to_thread(estimating_writer, access)
            if options.dry_run
            else await stack.enter_async_context(open_question_writer(access, clock=stores.clock))
        )
        return await write_questions(terminal, stores.question_drafts, scope, writer, options)


def export(*, out: Path, drafts: bool, as_json: bool) -> int:
    """Write the accepted questions as a set for `eval run`; 0."""
    terminal = open_terminal()
    states = (DraftState.DRAFT,) if drafts else (DraftState.ACCEPTED,)
    found = asyncio.run(_listed(terminal, *states))
    written = _write(terminal, out, found)
    if as_json:
        terminal.show_json({"file": str(out), "questions": written, "stale": len(found) - written})
    return 0


def show_list(*, state: str, as_json: bool) -> int:
    """List the questions in a state; 0."""
    terminal = open_terminal()
    found = asyncio.run(_listed(terminal, DraftState(state)))
    if as_json:
        terminal.show_json([line_of(one) | {"is_stale": one.is_stale} for one in found])
    elif found:
        terminal.show(*map(_row, found))
    else:
        terminal.remark_unwrapped(f"No question is {state}")
    return 0


async def _listed(terminal: Terminal, *states: DraftState) -> list[KeptDraft]:
    async with opened_stores(terminal) as stores:
        return await stores.question_drafts.listed(*states)


def _write(terminal: Terminal, out: Path, found: Sequence[KeptDraft]) -> int:
    """Write those whose passages stand; return how many.

    Raises:
        UsageError: The file can't be written.
    """
    standing = [one for one in found if not one.is_stale]
    stale = len(found) - len(standing)
    lines = [json.dumps(line_of(one), ensure_ascii=False) for one in standing]
    write_text(out, "".join(f"{line}\n" for line in lines))
    left_out = f"; {stale} left out, since a clause that answers them changed" if stale else ""
    terminal.remark_unwrapped(f"{len(standing)} questions are in {out}{left_out}")
    return len(standing)


def _rows(drafts: Iterable[QuestionDraft]) -> list[Row]:
    return [
        Row(
            heads=(Text(f"{one.kind:<16} {one.difficulty:<6}"),),
            lines=(Text(one_line(one.question, limit=_QUESTION_LENGTH)),),
        )
        for one in drafts
    ]


def _row(one: KeptDraft) -> Row:
    mark = " (stale)" if one.is_stale else ""
    head = f"{one.number:>5} {one.draft.kind:<16} {one.draft.difficulty:<6}"
    question = one_line(one.draft.question, limit=_QUESTION_LENGTH)
    return Row(heads=(Text(head),), lines=(Text(f"{question}{mark}"),))
