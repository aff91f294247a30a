"""Train the reader, on a CPU or a GPU: from the embedder, or further from a reader.

    python -m evals.training.train START DATA.json.gz TOKENIZER.json OUT.pt --minutes 35
        [--stage policies] [--device cpu] [--seed 1] [--leave-out SOURCE ...]

Loss: softmax over a group (which of its texts), and binary cross-entropy with smoothed labels
(whether at all). The rate falls linearly with the clock, so a run ends when it should. What is
saved is the moving average of the weights, now and then and at the end.
"""

import argparse
import copy
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch.nn import functional

from evals.training.encoder import batch_of, logits_of, reader_at, scores_of, tokenizer_at
from evals.training.groups import GroupTable
from evals.training.sampling import Choice, Row, Sampler, hardest, kinds_of, packed

WAVE = 16
"""Steps that are drawn at a time."""
SMOOTH = 0.03
SAVE_EVERY_S = 240.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """What is trained on, and how."""

    shares: Mapping[str, float]
    """Of the tokens, by kind of group."""
    rate: float
    """The highest, after the warm-up."""
    warm: int
    """Steps of the warm-up."""
    keep: float
    """Of the moving average, a step."""
    frozen: int | None
    """Layers that stay as they are, with the embeddings below them; 0: the embeddings alone; None:
    all is trained."""
    drops: bool
    """Whether there is dropout: for long runs."""
    weight_of_right: float = 2.5
    """In the binary cross-entropy: there are more wrong texts than right ones."""
    which: float = 1.0
    """Weight of the softmax over a group beside the binary cross-entropy."""


STAGES = {
    "general": Stage(
        shares={"general": 1.0}, rate=1.5e-4, warm=60, keep=0.998, frozen=None, drops=True
    ),
    "policies": Stage(
        shares={"sentences": 0.50, "passages": 0.35, "replay": 0.15},
        rate=5e-5,
        warm=15,
        keep=0.985,
        frozen=2,
        drops=False,
    ),
}
"""`general` from the embedder, then `policies`."""


def loss_of(
    model: torch.nn.Module, step: Sequence[Choice], stage: Stage, device: str
) -> tuple[torch.Tensor, int]:
    """Return the loss of a step, and how many pairs it has."""
    rows = [row for choice in step for row in choice.rows]
    target = torch.tensor([row.target for row in rows], device=device)
    owners = [number for number, choice in enumerate(step) for _ in choice.rows]
    owner = torch.tensor(owners, device=device)
    logits = logits_of(model, batch_of(rows, device))
    smooth = target * (1 - 2 * SMOOTH) + SMOOTH
    weight = torch.where(target > 0, stage.weight_of_right, 1.0)
    whether = functional.binary_cross_entropy_with_logits(logits, smooth, weight=weight)
    # Which: the right one against the wrong ones. What answers in part stays out of it.
    nothing = torch.zeros(len(step), device=device)
    top = torch.full_like(nothing, -1e4).scatter_reduce(0, owner, logits.detach(), "amax")
    share = (logits - top[owner]).exp() * ((target == 1) | (target == 0))
    total = nothing.scatter_add(0, owner, share)
    good = nothing.scatter_add(0, owner, share * (target == 1))
    has = nothing.scatter_add(0, owner, (target == 1).float()) > 0
    has &= nothing.scatter_add(0, owner, (target == 0).float()) > 0
    if not has.any():
        return whether, len(rows)
    which = -(good[has].clamp_min(1e-9) / total[has]).log().mean()
    return stage.which * which + whether, len(rows)


class Training:
    """A reader in training, and the moving average of its weights."""

    def __init__(self, start: Path, stage: Stage, device: str) -> None:
        """Take the weights to begin with."""
        self.model = reader_at(start).to(device).train(stage.drops)
        self._stage = stage
        self._device = device
        layers = [f"bert.encoder.layer.{number}." for number in range(stage.frozen or 0)]
        fixed = () if stage.frozen is None else ("bert.embeddings.", *layers)
        for name, value in self.model.named_parameters():
            value.requires_grad_(not (fixed and name.startswith(fixed)))
        self.average = copy.deepcopy(self.model).eval()
        named = [(n, p) for n, p in self.model.named_parameters() if p.requires_grad]
        self._moving = [p for _, p in named]
        self._averaged = [p for p in self.average.parameters() if p.requires_grad]
        bare = ("bias", "LayerNorm.weight")
        self._optimiser = torch.optim.AdamW(
            [
                {"params": [p for n, p in named if not n.endswith(bare)], "weight_decay": 0.01},
                {"params": [p for n, p in named if n.endswith(bare)], "weight_decay": 0.0},
            ],
            lr=stage.rate,
        )
        self.done = self.pairs = 0

    def scores(self, rows: Sequence[Row]) -> list[float]:
        """Return what the reader says now."""
        return scores_of(self.model, rows, self._device)

    def step(self, choices: Sequence[Choice], *, left: float) -> float:
        """Take a step at what is left of the rate, in [0, 1], and return the loss."""
        stage = self._stage
        for kind in self._optimiser.param_groups:
            kind["lr"] = stage.rate * min(1.0, (self.done + 1) / stage.warm) * left
        loss, pairs = loss_of(self.model, choices, stage, self._device)
        self._optimiser.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self._moving, 1.0)
        self._optimiser.step()
        keep = min(stage.keep, (1 + self.done) / (10 + self.done))
        with torch.no_grad():
            torch._foreach_lerp_(self._averaged, self._moving, 1 - keep)
        self.done += 1
        self.pairs += pairs
        return loss.item()

    def save(self, path: Path) -> None:
        """Write the average, whole or not at all."""
        state = {name: value.half().cpu() for name, value in self.average.state_dict().items()}
        beside = path.with_suffix(".tmp")
        torch.save({"reader": state, "steps": self.done, "pairs": self.pairs}, beside)
        beside.replace(path)


def drawn(
    sampler: Sampler,
    shares: Mapping[str, float],
    score: Callable[[Sequence[Row]], Sequence[float]],
) -> Iterator[list[Choice]]:
    """Return steps without end: hard texts chosen by the reader as it is when they are drawn."""
    while True:
        yield from packed(hardest(sampler.wave(shares, steps=WAVE), score), sampler.random)


def run(
    training: Training, steps: Iterator[Sequence[Choice]], *, minutes: float, out: Path
) -> None:
    """Train until the time is over; save now and then, and at the end."""
    started_s = saved_s = time.monotonic()
    losses: list[float] = []
    while (gone := (time.monotonic() - started_s) / (minutes * 60)) < 1:
        losses.append(training.step(next(steps), left=1 - gone))
        if training.done % 20 == 0:
            print(
                f"{training.done} steps, {training.pairs} pairs, loss {np.mean(losses[-40:]):.3f},"
                f" {time.monotonic() - started_s:.0f} s",
                flush=True,
            )
        if time.monotonic() - saved_s > SAVE_EVERY_S:
            training.save(out)
            saved_s = time.monotonic()
    training.save(out)
    print(f"saved after {training.done} steps, {training.pairs} pairs", flush=True)


def main() -> None:
    """Train by the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("start", "data", "tokenizer", "out"):
        parser.add_argument(name, type=Path)
    parser.add_argument("--minutes", type=float, required=True)
    parser.add_argument("--stage", choices=STAGES, default="policies")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--leave-out", nargs="*", default=["conditionalqa", "xref"])
    given = parser.parse_args()
    stage = STAGES[given.stage]
    table = GroupTable.read(given.data)
    kinds = kinds_of(table.groups, given.leave_out)
    print({kind: len(groups) for kind, groups in kinds.items()}, flush=True)
    tokenizer = tokenizer_at(given.tokenizer)
    wanted = {kind: kinds[kind] for kind in stage.shares}
    sampler = Sampler(wanted, table.texts, tokenizer, seed=given.seed)
    torch.manual_seed(given.seed)
    training = Training(given.start, stage, given.device)
    steps = drawn(sampler, stage.shares, training.scores)
    run(training, steps, minutes=given.minutes, out=given.out)


if __name__ == "__main__":
    main()
