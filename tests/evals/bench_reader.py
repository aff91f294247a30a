"""What the reader costs a question: texts read, processor time, and the time on two quiet cores.

    python -m tests.evals.bench_reader QUESTIONS [COUNT]

QUESTIONS are those of `citebound eval run`, each asked of its own document; COUNT of them are
asked (by default 100), spread over at most eight documents. The time on two cores is put together
from the processor time of each turn of the reader's two threads, so that it can be told on a busy
machine; waits between turns are left out. What was ingested is kept for the next time.
"""

import argparse
import asyncio
import sys
import tempfile
import threading
import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bot.console.views.terminal import open_terminal
from core.adapters.local import reader
from core.adapters.local.onnx_model import THREADS, Loaded
from core.confidence.calibration import SHIPPED
from core.config.settings import Settings
from core.domain.errors import UsageError
from evals.measuring import corpora
from evals.measuring.corpora import QuestionSource
from evals.measuring.questions import load_questions, spread
from evals.measuring.running import Asking, run_questions

DOCUMENTS = 8
ALLOWED_MS = 400.0


@dataclass
class Cost:
    """What one question was read with."""

    texts: int = 0
    calls: int = 0
    turns_ms: dict[int, list[float]] = field(default_factory=lambda: defaultdict(list[float]))
    """Processor time of each turn, by call."""

    @property
    def processor_ms(self) -> float:
        """All turns together."""
        return sum(sum(turns) for turns in self.turns_ms.values())

    @property
    def alone_ms(self) -> float:
        """As long as its threads take where nothing else runs: each turn goes to the free one."""
        took_ms = 0.0
        for turns in self.turns_ms.values():
            threads = [0.0] * THREADS
            for turn in turns:
                threads[threads.index(min(threads))] += turn
            took_ms += max(threads)
        return took_ms


def watch() -> list[Cost]:
    """Count from now on; a cost is added with each question."""
    costs: list[Cost] = []
    lock = threading.Lock()
    read, scores = reader.read_pairs, reader.LocalReader.scores
    ask = corpora.rehearse_labelled

    def counted(asked: str, turn: Sequence[str], model: Loaded) -> list[float]:
        began_s = time.thread_time()
        found = read(asked, turn, model)
        with lock:
            costs[-1].texts += len(turn)
            costs[-1].turns_ms[costs[-1].calls].append((time.thread_time() - began_s) * 1_000)
        return found

    async def called(
        self: reader.LocalReader, question: str, texts: Sequence[str], /
    ) -> list[float]:
        costs[-1].calls += 1
        return await scores(self, question, texts)

    async def asked(*arguments: Any, **named: Any) -> Any:
        costs.append(Cost())
        return await ask(*arguments, **named)

    reader.read_pairs = counted
    reader.LocalReader.scores = called
    corpora.rehearse_labelled = asked
    return costs


def share(values: Sequence[float], part: float) -> float:
    """Return the value below which a part of all lies."""
    return sorted(values)[min(len(values) - 1, int(part * len(values)))]


def main(path: Path, count: int) -> int:
    """Ask, print; 1 if the reader adds more than it may."""
    questions = load_questions(path)
    documents = list(dict.fromkeys(one.document for one in questions))
    few = documents[:: max(1, len(documents) // DOCUMENTS)][:DOCUMENTS]
    chosen = spread([one for one in questions if one.document in few], count)
    costs = watch()
    asking = Asking(
        settings=Settings(home=Path(tempfile.gettempdir()) / "citebound-bench-reader"),
        source=QuestionSource(name="bench", folder=path.resolve().parent.parent, is_alone=True),
        use_rag=True,
        calibrations=SHIPPED,
        grader=None,
        is_verbose=False,
    )
    asyncio.run(
        run_questions(open_terminal(), chosen, asking=asking, done=(), keep=lambda _result: None)
    )
    # The first question loads the model.
    told = costs[1:]
    pairs = sum(one.texts for one in told)
    spent_ms = sum(one.processor_ms for one in told)
    print(f"{len(told)} questions, {pairs} texts read, {spent_ms / max(1, pairs):.1f} ms each")
    for what, values in (
        ("texts read for a question", [float(one.texts) for one in told]),
        ("processor time, ms", [one.processor_ms for one in told]),
        (f"on {THREADS} quiet cores, ms", [one.alone_ms for one in told]),
    ):
        print(f"{what}: p50 {share(values, 0.5):.0f}, p95 {share(values, 0.95):.0f}")
    return int(share([one.alone_ms for one in told], 0.95) > ALLOWED_MS)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("questions", type=Path, help="as for `citebound eval run`")
    parser.add_argument("count", type=int, nargs="?", default=100, help="asked, by default 100")
    given = parser.parse_args()
    try:
        sys.exit(main(given.questions, given.count))
    except UsageError as error:
        parser.error(str(error))
