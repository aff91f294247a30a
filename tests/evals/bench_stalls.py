"""The longest time for which an event loop stands still over hostile messages.

    python -m tests.evals.bench_stalls [--most 20] [--home FOLDER]

Over the sample policies, without a language model. Each message is read as Slack and Teams send it,
stored, answered alone and recorded, then understood as a reply in two threads. A step of the loop
is what runs while nothing else can; the seconds of the processor are told beside those of the
clock, since a busy machine makes only the second ones longer.
"""

import argparse
import asyncio
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bot.slack.inbound.identity import SlackIdentity as SlackHome
from bot.slack.inbound.parse import parse as parse_slack
from bot.small_talk import is_only_thanks
from bot.teams.inbound.text_input import clean_text, html_text
from core.agent.request import AskRequest
from core.bootstrap import Service, bootstrap
from core.config.settings import Settings
from core.domain.conversation import Place
from core.domain.errors import UsageError
from core.domain.message import InboundMessage
from core.domain.question import Turn
from evals.measuring.estimates import percentile
from tests.stalls import Steps, hostile_messages, measured_steps

SAMPLES = Path(__file__).parents[2] / "samples" / "policies"
ANSWERED = Turn(question="May I accept a gift from a supplier?", outcome="answered", answer="Yes.")
ASKED = Turn(
    question="How much may I claim for meals?",
    outcome="clarification",
    answer="In which country?",
    slot="jurisdiction",
    options=("Germany", "United Kingdom"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Longest:
    """The longest step of one message."""

    cpu_s: float
    wall_s: float
    text: str


async def answer(service: Service, text: str, number: int) -> None:
    """Read, answer and record one message, and understand it in two threads."""
    message = _as_slack(text)
    is_only_thanks(message)
    clean_text({"text": text, "recipient": {"id": "bot"}})
    html_text(f"<p>{text}</p>")
    request = AskRequest(text=message.text, place=Place(thread=f"hostile-{number}"))
    try:
        await service.answering.ask(request)
        for turn in (ANSWERED, ASKED):
            await service.answering.rehearse(request, history=(turn,))
    except UsageError:  # nothing is left of it
        return


def _as_slack(text: str) -> InboundMessage:
    event = {
        "type": "message",
        "channel_type": "im",
        "channel": "D1",
        "user": "U2",
        "ts": "1700000000.000100",
        "text": text,
    }
    body = {"team_id": "T1", "api_app_id": "A1", "event_id": "Ev1", "event": event}
    home = SlackHome(app_id="A1", bot_user="U1", teams=frozenset({"T1"}))
    parsed = parse_slack(body, home)
    assert isinstance(parsed, InboundMessage), parsed
    return parsed


async def measure(service: Service) -> list[Longest]:
    """Return the longest step of each message."""
    await answer(service, "May I accept a gift?", 0)
    found: list[Longest] = []
    texts = list(hostile_messages())
    for number, text in enumerate(texts, start=1):
        with measured_steps() as steps:
            await answer(service, text, number)
        found.append(_longest(steps, text))
    return found


def _longest(steps: Steps, text: str) -> Longest:
    return Longest(cpu_s=max(steps.cpu_s), wall_s=max(steps.wall_s), text=text)


def report(found: Sequence[Longest], *, most: int) -> None:
    """Print the figures, and the messages behind the longest ones."""
    cpu_ms = sorted(one.cpu_s * 1_000 for one in found)
    wall_ms = sorted(one.wall_s * 1_000 for one in found)
    print(
        f"longest stall of the loop, {len(found)} hostile messages:"
        f" clock p50 {percentile(wall_ms, 0.5):.0f}, p99 {percentile(wall_ms, 0.99):.0f},"
        f" most {wall_ms[-1]:.0f} ms; processor p50 {percentile(cpu_ms, 0.5):.0f},"
        f" p99 {percentile(cpu_ms, 0.99):.0f}, most {cpu_ms[-1]:.0f} ms"
    )
    for one in sorted(found, key=lambda one: -one.cpu_s)[:most]:
        print(f"{one.cpu_s * 1_000:6.0f} ms  {len(one.text)} characters  {one.text[:60]!r}")


async def run(home: Path, *, most: int) -> None:
    """Measure over what was ingested."""
    async with bootstrap(Settings(home=home)) as service:
        report(await measure(service), most=most)


def main() -> None:
    """Read the words, ingest the samples and measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--most", type=int, default=0, help="messages to name, the longest first")
    parser.add_argument("--home", type=Path, default=Path("~/.citebound/bench").expanduser())
    given = parser.parse_args()
    command = [sys.executable, "-m", "bot", "ingest", str(SAMPLES)]
    subprocess.run(  # noqa: S603 (our own command)
        ["/usr/bin/env", "-u", "DATABASE_URL", f"CITEBOUND_HOME={given.home}", *command],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    asyncio.run(run(given.home, most=given.most))


if __name__ == "__main__":
    main()
