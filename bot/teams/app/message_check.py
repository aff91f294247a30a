"""Hold a reply of each kind against what Teams takes: for `citebound doctor --live`.

Teams has no method that looks at a card without posting it, so nothing is called.
"""

from collections.abc import Iterator

from bot.doctor_check import Diagnosis, Status
from bot.forms.evidence import EvidenceView
from bot.replies.context import Library, RenderContext
from bot.replies.samples import HIGH, sample_replies
from bot.teams.cards.answer import CITATIONS
from bot.teams.cards.card_check import card_faults
from bot.teams.cards.elements import MESSAGE_BYTES, Card, size
from bot.teams.cards.evidence import evidence_card
from bot.teams.cards.render import SHAPES, SUGGESTED, render

SUBJECT = "Teams, messages"
_ROOT = "https://schema.org/Message"


def check_messages() -> Diagnosis:
    """Say which kinds of replies Teams would not take."""
    context = RenderContext(asker="29:asker", asker_name="Asker", officers=("29:officer",))
    wrong, count = dict[str, str](), 0
    for name, reply in sample_replies():
        for shape in range(SHAPES):
            count += 1
            for fault in _faults(render(reply, shape, context=context).activity):
                wrong.setdefault(name, fault)
    evidence = EvidenceView(answer=HIGH, answer_id="ans_1", record_id="01983f2a")
    for fault in card_faults(evidence_card(evidence, Library())):
        wrong.setdefault("evidence", fault)
    if wrong:
        found = ", ".join(f"{name} ({fault})" for name, fault in wrong.items())
        cure = "upgrade Citebound, or report it: Teams may show these as text, without buttons"
        return Diagnosis(subject=SUBJECT, health=Status.BROKEN, found=found, cure=cure)
    found = f"replies of every kind fit Teams' schema and limits: {count} checked"
    return Diagnosis(subject=SUBJECT, health=Status.FINE, found=found)


def _faults(activity: Card) -> Iterator[str]:
    if size(activity) > MESSAGE_BYTES:
        yield f"{size(activity)} bytes, at most {MESSAGE_BYTES}"
    if not activity.get("text") and not activity.get("attachments"):
        yield "it is empty"
    for one in _objects(activity.get("attachments")):
        content = one.get("content")
        yield from card_faults(content if isinstance(content, dict) else {})
    entities = _objects(activity.get("entities"))
    if sum(one.get("type") == _ROOT for one in entities) > 1:
        yield "more than one root entity"
    if any(len(_objects(one.get("citation"))) > CITATIONS for one in entities):
        yield f"more than {CITATIONS} citations"
    offered = activity.get("suggestedActions")
    if isinstance(offered, dict) and len(_objects(offered.get("actions"))) > SUGGESTED:
        yield f"more than {SUGGESTED} suggestions"


def _objects(held: object) -> list[Card]:
    found = held if isinstance(held, list) else []  # pyright: ignore[reportUnknownVariableType]
    return [one for one in found if isinstance(one, dict)]  # pyright: ignore
