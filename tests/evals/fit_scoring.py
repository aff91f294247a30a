# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false
"""Fit the coefficients of `core.agent.extractive.scoring` on labelled questions, and print them.

    python tests/evals/fit_scoring.py QUESTIONS.jsonl...

The database is that of the settings, with the questions' policies ingested. Each question is taken
as it is and with its
answer's sections removed; each section that retrieval or the ontology offers is one example, right
if it is labelled.
"""

import asyncio
import sys
from dataclasses import asdict, dataclass
from datetime import UTC, date, datetime
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from core.agent.ablation import WithoutSections, is_in, without_sections
from core.agent.conversation import understand
from core.agent.extractive.answering import wanted_of
from core.agent.extractive.facts import find_facts, vocabulary_for, with_definitions
from core.agent.extractive.passages import passages_of
from core.agent.extractive.reasoner import FINDINGS
from core.agent.extractive.select import rank
from core.agent.extractive.similarity import Similarity
from core.agent.extractive.terms import terms_of
from core.agent.stages.retrieve import gather
from core.bootstrap import Service, bootstrap
from core.config import Settings
from core.domain.chat import Place
from core.domain.policy import EVERYONE
from core.domain.question import Question, Scope, Turn
from core.domain.run import Plan
from core.evals.answers import ANSWERABLE, LabelledQuestion, load_questions
from core.ontology.whole import WholeOntology

TODAY = date(2026, 10, 1)
RIDGE = 1.0
LEFT_OUT = {
    "HYBRID": {"facet", "foreign"},
    "LEXICAL": {"dense", "lead_dense", "similarity", "lead_similarity", "facet", "foreign"},
    "FACTS": {"dense", "lead_dense", "lexical", "facet", "foreign"},
    "FACTS_BY_WORDS": {
        "dense",
        "lead_dense",
        "lexical",
        "similarity",
        "lead_similarity",
        "facet",
        "foreign",
    },
}
"""What can't be measured in each mode, or says nothing beside the rest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """One section offered for one question."""

    question: str
    measures: dict[str, float]
    is_right: bool
    is_fact: bool


async def _examples(
    service: Service, labelled: LabelledQuestion, without: frozenset[tuple[str, str]]
) -> list[Example]:
    history = tuple(
        Turn(question=turn["question"], outcome=turn["outcome"], answer="")
        for turn in labelled.thread
    )
    meant = understand(labelled.question, history)
    asked = labelled.scope
    scope = Scope(
        as_of=date.fromisoformat(asked["as_of"]) if asked.get("as_of") else TODAY,
        groups=frozenset(asked.get("groups", ())) | {EVERYONE},
        jurisdiction=asked.get("jurisdiction"),
    )
    question = Question(
        question_id="",
        conversation_id="",
        place=Place(thread=""),
        asker="",
        text=labelled.question,
        standalone=meant.standalone,
        scope=scope,
        asked_at=datetime(2026, 10, 1, tzinfo=UTC),
        history=history,
        assumptions=meant.assumptions,
    )
    known = WholeOntology(without_sections(await service.ontology.snapshot(scope), without))
    vocabulary = await vocabulary_for(question.standalone, known)
    terms = terms_of(question.standalone, vocabulary)
    plan = Plan(intent="general", terms=await with_definitions(question.standalone, terms, known))
    found = await find_facts(plan.terms, known, limit=FINDINGS)
    source = WithoutSections(service.retriever, without)
    retrieved = await source.retrieve(question.standalone, scope, depth=8, neighbours=4)
    evidence = gather(found, (*retrieved.result.hits, *retrieved.result.neighbours))
    facts = {(finding.span.version_id, finding.place.eid) for finding in found}
    examples: list[Example] = []
    for wanted in wanted_of(question, plan):
        ranked = await rank(
            passages_of(evidence.items),
            wanted,
            question=question.standalone,
            similarity=Similarity(service.embedder),
        )
        examples.extend(
            Example(
                question=labelled.id,
                measures=asdict(one.measures),
                is_right=is_in(one.passage.place, labelled.gold),
                is_fact=(one.passage.version_id, one.passage.place.eid) in facts,
            )
            for one in ranked
        )
    return examples


def fit(rows: NDArray[np.float64], right: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
    """Return intercept and weights of a logistic regression with a ridge penalty on standardised
    columns."""
    mean, deviation = rows.mean(axis=0), rows.std(axis=0) + 1e-6
    design = np.c_[(rows - mean) / deviation, np.ones(len(rows))]
    penalty = RIDGE * np.diag([*np.ones(rows.shape[1]), 1e-6])
    beta: NDArray[np.float64] = np.zeros(design.shape[1])
    for _ in range(50):
        guess: NDArray[np.float64] = 1 / (1 + np.exp(-design @ beta))
        slope: NDArray[np.float64] = design.T @ (guess - right) + penalty @ beta
        curve: NDArray[np.float64] = (design * (guess * (1 - guess))[:, None]).T @ design + penalty
        beta = beta - np.linalg.solve(curve, slope)
    weights: NDArray[np.float64] = beta[:-1] / deviation
    return float(beta[-1] - weights @ mean), weights


async def main(paths: list[Path]) -> None:
    """Print the coefficients of each mode."""
    examples: list[Example] = []
    async with bootstrap(Settings.from_environment()) as service:
        for labelled in (one for path in paths for one in load_questions(path)):
            if labelled.kind == "sensitive":
                continue
            examples += await _examples(service, labelled, frozenset())
            if labelled.kind in ANSWERABLE:
                examples += await _examples(service, labelled, labelled.gold)
    names = list(examples[0].measures)
    for mode, left_out in LEFT_OUT.items():
        chosen = [one for one in examples if one.is_fact or not mode.startswith("FACTS")]
        kept = [name for name in names if name not in left_out]
        rows = np.array([[one.measures[name] for name in kept] for one in chosen])
        right = np.array([float(one.is_right) for one in chosen])
        intercept, weights = fit(rows, right)
        listed = ", ".join(
            f'"{name}": {weight:.2f}' for name, weight in zip(kept, weights, strict=True)
        )
        print(f"{mode} = Fit(intercept={intercept:.2f}, weights={{{listed}}})")


if __name__ == "__main__":
    asyncio.run(main([Path(name) for name in sys.argv[1:]]))
