"""Show Slack a reply of each kind without posting it: for `citebound doctor --live`.

`blocks.validate` needs no scope and changes nothing. Which kinds of blocks Slack takes differs
between its pages and what it does, and may change.
"""

import asyncio
import json
from collections.abc import Iterator

from bot.call_results import CallResult, RateLimited, Rejected, Succeeded
from bot.doctor_check import Diagnosis, Status
from bot.forms.evidence import EvidenceView
from bot.replies.context import Library, RenderContext
from bot.replies.samples import HIGH, sample_replies
from bot.slack.blocks.elements import Block
from bot.slack.blocks.evidence import evidence_modal
from bot.slack.blocks.home_view import Home, home_view
from bot.slack.blocks.plainer import plainer, plainer_view
from bot.slack.blocks.render import RICH, render
from bot.slack.web.calls import ABSENT, Slack
from core.domain.json_value import Json

METHOD = "blocks.validate"
SUBJECT = "Slack, messages"
RESTS, LONGEST_REST_S = 3, 60.0
"""Waits for one call; Slack does not say how many it takes a minute."""
_OUTBOX = 1


async def check_messages(slack: Slack) -> Diagnosis:
    """Say which kinds of replies Slack does not take."""
    shown = list(_kinds())
    simpler, refused = list[str](), list[str]()
    for number, (name, payload) in enumerate(shown):
        told = await _validated(slack, payload)
        if isinstance(told, Succeeded):
            continue
        if not isinstance(told, Rejected) or told.code == ABSENT:
            return _not_told(told, checked=number, of=len(shown))
        again = await _validated(slack, _plainer(payload))
        (simpler if isinstance(again, Succeeded) else refused).append(
            f"{name} ({told.message or told.code})"
        )
    if refused:
        found = f"Slack takes neither shape of: {', '.join(refused)}"
        cure = "upgrade Citebound, or report it: these are posted as text, without buttons"
        return Diagnosis(subject=SUBJECT, health=Status.BROKEN, found=found, cure=cure)
    if simpler:
        found = f"Slack takes only the simpler shape of: {', '.join(simpler)}"
        cure = "nothing is lost: these keep all their buttons; an upgrade may fix it"
        return Diagnosis(subject=SUBJECT, health=Status.DOUBTFUL, found=found, cure=cure)
    found = f"Slack takes a reply of each kind: {len(shown)} shown, none posted"
    return Diagnosis(subject=SUBJECT, health=Status.FINE, found=found)


async def _validated(slack: Slack, payload: Block) -> CallResult:
    """Show it to Slack; again after a rest, where that was too soon after the last one."""
    told = await slack.read(METHOD, **_argument(payload))
    for _ in range(RESTS):
        if not isinstance(told, RateLimited) or told.after_s > LONGEST_REST_S:
            break
        await asyncio.sleep(told.after_s)
        told = await slack.read(METHOD, **_argument(payload))
    return told


def _kinds() -> Iterator[tuple[str, Block]]:
    """Yield what is shown to Slack; of replies made of the same kinds of blocks the first one."""
    seen = set[str]()
    context = RenderContext(asker="U00000000", may_share=True)
    for name, reply in sample_replies():
        made = render(reply, RICH, outbox_id=_OUTBOX, context=context)
        outline = json.dumps([_outline(one) for one in made.blocks])
        if outline not in seen:
            seen.add(outline)
            yield name, {"text": made.text, "blocks": list(made.blocks)}
    evidence = EvidenceView(answer=HIGH, answer_id="ans_1", record_id="01983f2a")
    yield "evidence", evidence_modal(evidence, Library())
    yield "Home", home_view(Home(cases=()))


def _outline(block: Json) -> list[Json]:
    """Return the kinds of what a block holds, whatever its words."""
    if not isinstance(block, dict):
        return []
    inner = [
        _outline(one)
        for key in ("elements", "child_blocks")
        if isinstance(held := block.get(key), list)
        for one in held
    ]
    return [block.get("type"), *inner]


def _argument(payload: Block) -> dict[str, str]:
    return {"view" if "type" in payload else "message": json.dumps(payload)}


def _plainer(payload: Block) -> Block:
    if "type" in payload:
        return plainer_view(payload)
    blocks = payload.get("blocks")
    return {**payload, "blocks": list[Json](plainer(blocks if isinstance(blocks, list) else []))}


def _not_told(told: object, *, checked: int, of: int) -> Diagnosis:
    found = f"Slack did not say whether it takes them ({checked} of {of} checked)"
    cure = f"this Slack has no {METHOD}; a shape that it refuses is followed by a simpler one"
    if isinstance(told, RateLimited):
        cure = f"run it again in {told.after_s:.0f} s"
    elif not isinstance(told, Rejected):
        cure = "check the network, and run it again"
    return Diagnosis(subject=SUBJECT, health=Status.DOUBTFUL, found=found, cure=cure)
