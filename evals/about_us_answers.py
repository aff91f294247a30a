"""Measure the replies to labelled messages about the assistant itself, and to look-alikes.

    citebound ingest samples/policies
    python -m evals.about_us_answers evals/about_us/blind_b.jsonl

Right are: the text of the labelled topic, or of one whose text answers that, too (`NEAR`); for
`speak_up` an answer that quotes the policy on speaking up and no other; for `report` the reply to a
report; for `policy` whatever says nothing about us. Each mistake is told by its labels alone.
"""

import asyncio
import json
import sys
from collections import Counter
from pathlib import Path

from bot.console.open_service import open_service
from bot.console.views.terminal import open_terminal
from core.adapters.system import UuidSource
from core.agent.about_us_wording import ABOUT_US
from core.agent.early_replies import ABOUT_US as ABOUT_US_INTENT
from core.agent.request import AskRequest, Reply
from core.answering import AnswerService
from core.domain.answer import Outcome
from core.domain.conversation import Place
from core.domain.question import SelfTopic
from core.domain.run import Plan

OPENING = 45
"""Characters by which a text is told from the others."""
NEAR = {
    frozenset(pair)
    for pair in (
        (SelfTopic.STORAGE, SelfTopic.READERS),
        (SelfTopic.STORAGE, SelfTopic.ANONYMITY),
        (SelfTopic.READERS, SelfTopic.ANONYMITY),
        (SelfTopic.IDENTITY, SelfTopic.CAPABILITIES),
    )
}
SPEAK_UP = "speak-up"
"""The key of the samples' policy on reporting."""


def kinds(reply: Reply) -> set[str]:
    """Return what a reply is: topics, `speak_up`, `report`; only `policy` if it is none of them."""
    answer, planned = reply.answer, reply.run.plan
    said = "\n".join((answer.text, *map(str, answer.notes)))
    told: set[str] = {
        topic.value
        for topic, text in ABOUT_US.items()
        if any(words.split("{")[0][:OPENING] in said for words in (text.en, text.de))
    }
    quoted = {citation.place.policy_key for citation in answer.citations}
    if answer.is_report:
        told.add("report")
    elif answer.outcome is Outcome.ANSWERED and quoted == {SPEAK_UP}:
        told.add(SelfTopic.SPEAK_UP.value)
    elif isinstance(planned, Plan) and planned.intent == ABOUT_US_INTENT and not told:
        told.add("nothing about reporting")
    return told or {"policy"}


def is_right(label: str, told: set[str]) -> bool:
    """Say whether a reply is what the label asks for."""
    if label == "policy":
        return told <= {"policy", "speak_up"}
    return label in told or any(frozenset((label, topic)) in NEAR for topic in told)


async def main(rows: list[dict[str, str]]) -> None:
    """Print what is right, and each mistake by its labels."""
    got: Counter[tuple[str, str]] = Counter()
    async with open_service(AnswerService, open_terminal()) as service:
        for row in rows:
            place = Place(thread=UuidSource().new())
            reply = await service.answering.ask(AskRequest(text=row["question"], place=place))
            label, told = row["label"], kinds(reply)
            got[label, "right" if is_right(label, told) else ", ".join(sorted(told))] += 1
    right = sum(count for (_, told), count in got.items() if told == "right")
    print(f"{right} of {len(rows)} right")
    for (label, told), count in sorted(got.items()):
        print(f"  {label}: {told} {count}")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    lines = Path(sys.argv[1]).read_text("utf-8").splitlines()
    asyncio.run(main([json.loads(line) for line in lines]))
