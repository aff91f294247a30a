"""Drafts as the lines of a question set that `citebound eval run` reads."""

from core.domain.json_value import Json
from core.domain.policy import EVERYONE
from core.domain.question_draft import ANSWERED, REMOVED, AnswerPassage, DraftState, KeptDraft
from evals.measuring.questions import ACCEPTED, ANSWERED_ONLY, DECLINED, UNREVIEWED


def line_of(kept: KeptDraft) -> dict[str, Json]:
    """Return a draft as an object of a question set, with where its passages stand today."""
    draft = kept.draft
    sections: list[Json] = [
        {"policy": policy, "section": section}
        for policy, section in dict.fromkeys((one.policy, one.section) for one in draft.passages)
    ]
    is_accepted = kept.state is DraftState.ACCEPTED
    found: dict[str, Json] = {
        "id": f"q{kept.number}",
        "question": draft.question,
        "kind": draft.kind,
        "difficulty": draft.difficulty,
        "expected": sorted(ANSWERED_ONLY if draft.expected == ANSWERED else DECLINED),
        "spans": [_span(one) for one in draft.passages],
        "scope": _scope(draft.passages),
        "review": ACCEPTED if is_accepted else UNREVIEWED,
        "made_by": draft.made_by,
    }
    if draft.expected == ANSWERED:
        found |= {"gold": sections, "gold_quotes": [one.quote for one in draft.passages]}
    if draft.kind == REMOVED:
        found["without"] = sections
    return found


def _span(one: AnswerPassage) -> dict[str, Json]:
    return {
        "policy": one.policy,
        "section": one.section,
        "version": one.version,
        "start": one.span.char_start,
        "end": one.span.char_end,
        "quote": one.quote,
    }


def _scope(passages: tuple[AnswerPassage, ...]) -> dict[str, Json]:
    """Return who can ask: somebody who may read the passages, where they hold."""
    found: dict[str, Json] = {}
    countries = sorted({one.jurisdiction for one in passages if one.jurisdiction})
    if countries:
        found["jurisdiction"] = countries[0]
    groups = sorted({min(one.audience) for one in passages if EVERYONE not in one.audience})
    if groups:
        found["groups"] = list(groups)
    return found
