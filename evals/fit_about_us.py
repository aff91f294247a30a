# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false
"""Fit which messages are about the assistant itself, and what they ask of it.

    python -m evals.fit_about_us OUT.onnx POLICIES.jsonl ...

The messages of `about_us/*.tsv` are told from each other and from those of POLICIES, which are
about policies (`data/workplace`, `data/everyday`, `data/dialogues`, `data/incidents`,
`data/applicability`). The upper three layers of the embedder that the product carries are trained
on what its lower three make of a message, with a small head on their mean and maximum. First each
fifth is read by a fit on the others, and stderr says what that got right. Takes an hour on one
core. Needs the packages of the group `training`.
"""

import asyncio
import hashlib
import json
import re
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from onnxruntime.quantization import QuantType, quantize_dynamic
from torch import nn

from core.adapters.local.embedder import LocalEmbedder, find_local_embedder
from core.adapters.local.onnx_model import EMBEDDER_FILE, carried_folder
from core.domain.question import SURE, UNANSWERED, SelfTopic
from evals.training.encoder import CONFIG, reader_at
from evals.training.export import OPSET

FOLDER = Path(__file__).with_name("about_us")
NONE = "none"
CLASSES = (NONE, *(topic.value for topic in SelfTopic))
LAYERS = 3
"""Upper layers that are trained; `embedder.INNER` is the output of the last of the others."""
HIDDEN, DROPPED = 128, 0.2
EPOCHS, BATCH, RATE, HEAD_RATE, DECAY = 5, 64, 1e-4, 1e-3, 0.01
WARM_UP, LAST, SMOOTHED = 0.06, 0.02, 0.02
FOLDS = 5
NEAREST, EVERY = 3_000, 6
"""Of POLICIES, those nearest to a message about the assistant, and every sixth of the others."""
HARD, AGAIN, AGAIN_SHARE = 0.1, 2, 0.4
"""Then every second of the rest is read. Those that are this likely to be about the assistant are
trained on twice, this many epochs at this share of the rates, with messages from before."""
AGAIN_OURS, AGAIN_OTHERS = 3_500, 900
WAYS_TO_REPORT = re.compile(
    r"whistle|speak.?up|hot ?line|ombuds|complain|anonymous(?:ly)? report|raise (?:a|my) concern"
    r"|(?:report|tell|suspect|notice)\w*(?: \w+){0,5} (?:concern|harass|bully|fraud|misconduct"
    r"|violation|wrongdoing|corruption|brib|discriminat|colleague|manager|boss|retaliat|abuse)"
    r"|(?:who|where) (?:can|do|should) (?:i|we) (?:go|turn|talk|report)",
    re.IGNORECASE,
)
"""Messages of POLICIES that are left out: many ask how to report, and are labelled otherwise."""
Labelled = list[tuple[str, str]]


def written() -> dict[str, str]:
    """Return the wordings with what each asks."""
    lines = [
        line.partition("\t")
        for path in sorted(FOLDER.glob("*.tsv"))
        for line in path.read_text("utf-8").splitlines()
    ]
    return {text: label for label, _, text in lines}


def messages(paths: list[str]) -> list[str]:
    """Return the messages of files, each once, but those that are labelled as about the bot."""
    found: dict[str, None] = {}
    for path in paths:
        for row in map(json.loads, Path(path).read_text("utf-8").splitlines()):
            if row.get("outcome") != "about_the_bot":
                turns = row.get("turns") or [row]
                texts = (
                    one.get("question") or one.get("message") or one.get("text") for one in turns
                )
                found |= dict.fromkeys(filter(None, texts))
    return [text for text in found if not WAYS_TO_REPORT.search(text)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Data:
    """What is trained on, and what is not."""

    labelled: Labelled
    """First the messages about the assistant and look-alikes, then those of POLICIES."""
    rows: list[Any]
    """Vectors of their tokens within the embedder."""
    ours: int
    """How many come first."""
    used: set[int]
    """Numbers of those that are trained on from the beginning."""
    mined: set[int]
    """Numbers of those of which the hard ones are trained on afterwards; the others never are."""
    embedder: Path
    """The embedder's weights."""


class Net(nn.Module):
    """The embedder's upper layers, and a head."""

    def __init__(self, embedder: Path) -> None:
        super().__init__()
        self.layers = reader_at(embedder).bert.encoder.layer[-LAYERS:]
        self.drop = nn.Dropout(DROPPED)
        self.hidden = nn.Linear(2 * CONFIG.hidden_size, HIDDEN)
        self.out = nn.Linear(HIDDEN, len(CLASSES))

    def forward(self, vectors: torch.Tensor, mask: torch.Tensor | None = None) -> torch.Tensor:
        """Return the odds of each class; without a mask, of messages of one length."""
        if mask is None:
            mask = torch.ones_like(vectors[:, :, 0], dtype=torch.bool)
        for layer in self.layers:
            vectors = self._next(layer, vectors, mask)
        inside = mask[:, :, None].to(vectors.dtype)
        mean = (vectors * inside).sum(1) / inside.sum(1)
        most = vectors.masked_fill(~mask[:, :, None], -1e4).amax(1)
        hidden = torch.relu(self.hidden(self.drop(torch.cat([mean, most], 1))))
        return self.out(self.drop(hidden)).float()

    def _next(self, layer: Any, vectors: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        own, out = layer.attention.self, layer.attention.output
        heads = (len(vectors), -1, CONFIG.num_attention_heads, own.attention_head_size)
        query, key, value = (
            part(vectors).view(heads).transpose(1, 2) for part in (own.query, own.key, own.value)
        )
        scores = query @ key.transpose(-1, -2) * own.attention_head_size**-0.5
        shares = scores.masked_fill(~mask[:, None, None, :], -1e4).softmax(-1).to(value.dtype)
        mixed = out.dense((shares @ value).transpose(1, 2).flatten(2))
        vectors = out.LayerNorm(out.dropout(mixed) + vectors)
        wide = layer.output.dense(nn.functional.gelu(layer.intermediate.dense(vectors)))
        return layer.output.LayerNorm(layer.output.dropout(wide) + vectors)

    def likelihoods(self, rows: list[Any]) -> Any:
        """Return how likely each class is for each message."""
        self.eval()
        likely = np.zeros((len(rows), len(CLASSES)))
        order = np.argsort([len(row) for row in rows])
        with torch.inference_mode(), torch.autocast("cpu", dtype=torch.bfloat16):
            for some in np.array_split(order, len(rows) // BATCH + 1):
                if len(some):
                    likely[some] = self(*padded([rows[at] for at in some])).softmax(1).numpy()
        return likely


def padded(rows: list[Any]) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the vectors of messages, and which of them are real."""
    lengths = torch.tensor([len(row) for row in rows])
    vectors = torch.zeros(len(rows), int(lengths.max()), CONFIG.hidden_size)
    for at, row in enumerate(rows):
        vectors[at, : len(row)] = torch.from_numpy(row.astype(np.float32))
    return vectors, torch.arange(vectors.shape[1])[None] < lengths[:, None]


def trained(net: Net, labels: list[int], rows: list[Any], *, epochs: int, share: float) -> Net:
    """Train a network, with so much of the rates."""
    rng = np.random.default_rng(1)
    goal = torch.tensor(labels)
    head = [*net.hidden.parameters(), *net.out.parameters()]
    optimizer = torch.optim.AdamW(
        [
            {"params": net.layers.parameters(), "lr": RATE * share},
            {"params": head, "lr": HEAD_RATE * share},
        ],
        weight_decay=DECAY,
        fused=True,
    )
    batches = len(rows) // BATCH + 1
    steps = epochs * batches
    pace = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min(1, (step + 1) / (WARM_UP * steps)) * max(LAST, 1 - step / steps)
    )
    lengths = np.array([len(row) for row in rows])
    net.train()
    for _ in range(epochs):
        alike = np.array_split(np.argsort(lengths + rng.uniform(0, 4, len(rows))), batches)
        for at in rng.permutation(batches):
            some = alike[at]
            with torch.autocast("cpu", dtype=torch.bfloat16):
                odds = net(*padded([rows[number] for number in some]))
            loss = nn.functional.cross_entropy(odds, goal[some], label_smoothing=SMOOTHED)
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            optimizer.step()
            pace.step()
    return net


def fitted(data: Data, held: set[int]) -> Net:
    """Return a network that tells the classes apart, without what is held out."""
    torch.manual_seed(1)
    first, spare = (sorted(part - held) for part in (data.used, data.mined))

    def train(net: Net, numbers: list[int], *, epochs: int, share: float) -> Net:
        labels = [CLASSES.index(data.labelled[number][0]) for number in numbers]
        rows = [data.rows[number] for number in numbers]
        return trained(net, labels, rows, epochs=epochs, share=share)

    net = train(Net(data.embedder), first, epochs=EPOCHS, share=1)
    likely = net.likelihoods([data.rows[number] for number in spare])
    hard = [number for number, row in zip(spare, likely, strict=True) if 1 - row[0] >= HARD]
    shuffled = np.random.default_rng(2).permutation(first).tolist()
    ours = [number for number in shuffled if number < data.ours][:AGAIN_OURS]
    others = [number for number in shuffled if number >= data.ours][:AGAIN_OTHERS]
    return train(net, [*ours, *others, *hard, *hard], epochs=AGAIN, share=AGAIN_SHARE)


def data_of(labelled: Labelled, rows: list[Any], vectors: Any, ours: int, embedder: Path) -> Data:
    """Return which messages are trained on."""
    nearness = (vectors[ours:] @ vectors[:ours].T).max(1)
    order = ours + np.argsort(-nearness)
    used = {*range(ours), *order[:NEAREST].tolist(), *order[NEAREST::EVERY].tolist()}
    mined = sorted(set(range(len(labelled))) - used)[::2]
    return Data(
        labelled=labelled, rows=rows, ours=ours, used=used, mined=set(mined), embedder=embedder
    )


def read_by_others(data: Data) -> Any:
    """Return what each fifth is read as by a fit on the others."""
    digests = (hashlib.sha256(text.encode()).hexdigest() for _, text in data.labelled)
    folds = [int(digest, 16) % FOLDS for digest in digests]
    likely = np.zeros((len(folds), len(CLASSES)))
    for fold in range(FOLDS):
        held = [at for at, other in enumerate(folds) if other == fold]
        likely[held] = fitted(data, set(held)).likelihoods([data.rows[at] for at in held])
        print(f"fold {fold} of {FOLDS} is read", file=sys.stderr)
    return likely


def tell(title: str, labelled: Labelled, likely: Any) -> None:
    """Say what is right, topic by topic, at both thresholds."""
    for sure in (SURE, UNANSWERED):
        right: Counter[str] = Counter()
        for (label, _), row in zip(labelled, likely, strict=True):
            best = CLASSES[1 + int(row[1:].argmax())]
            right[label] += label == (best if 1 - row[0] >= sure else NONE)
        count = Counter(label for label, _ in labelled)
        said = ", ".join(f"{name} {right[name]}/{count[name]}" for name in CLASSES if count[name])
        print(f"{title}, {sure}: {right.total()}/{len(labelled)}: {said}", file=sys.stderr)


class Shares(nn.Module):
    """The network as the product runs it."""

    def __init__(self, net: Net) -> None:
        super().__init__()
        self.net = net

    def forward(self, vectors: torch.Tensor) -> torch.Tensor:
        """Return how likely each class is."""
        return self.net(vectors).softmax(1)


def export(net: Net, out: Path) -> None:
    """Write a network as int8 ONNX."""
    with tempfile.TemporaryDirectory() as folder:
        full = str(Path(folder) / "full.onnx")
        torch.onnx.export(
            Shares(net).eval(),
            (torch.zeros(1, 20, CONFIG.hidden_size),),
            full,
            input_names=["vectors"],
            output_names=["shares"],
            dynamic_axes={"vectors": {1: "length"}},
            opset_version=OPSET,
            dynamo=False,
        )
        quantize_dynamic(
            full, str(out), per_channel=True, reduce_range=False, weight_type=QuantType.QInt8
        )


async def main(out: Path, paths: list[str]) -> None:
    """Write the weights."""
    embedder, folder = find_local_embedder(None), carried_folder()
    if not isinstance(embedder, LocalEmbedder) or not isinstance(folder, Path):
        sys.exit("the local embedder is not installed")
    torch.set_num_threads(1)
    ours = written()
    policies = [text for text in messages(paths) if text not in ours]
    labelled = [(label, text) for text, label in ours.items()] + [(NONE, one) for one in policies]
    texts = [text for _, text in labelled]
    rows = [(await embedder.inner_vectors(text)).astype(np.float16) for text in texts]
    vectors = np.asarray(await embedder.embed_documents(texts), dtype=np.float32)
    data = data_of(labelled, rows, vectors, len(ours), folder / EMBEDDER_FILE)
    likely = read_by_others(data)
    tell("wordings", labelled[: len(ours)], likely[: len(ours)])
    tell("policies", labelled[len(ours) :], likely[len(ours) :])
    export(fitted(data, set()), out)


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    asyncio.run(main(Path(sys.argv[1]), sys.argv[2:]))
