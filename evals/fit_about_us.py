# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false
"""Fit which messages are about the assistant itself, and what they ask of it.

    python -m evals.fit_about_us POLICIES.jsonl ... > about_us.json

The messages of `about_us/*.tsv` are told from each other and from those of POLICIES, which are
about policies (`data/workplace`, `data/everyday`, `data/dialogues`, `data/incidents`,
`data/applicability`), by one hidden layer over the vectors of the embedder that the product carries
and over words and pairs of words. First each fifth is read by a fit on the others, and stderr says
what that got right. Needs the packages of the group `training`.
"""

import base64
import hashlib
import json
import re
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

from core.adapters.local.about_us import features
from core.adapters.local.embedder import SPACE
from core.domain.question import SURE, UNANSWERED, SelfTopic
from evals.near_questions import vectors_of

FOLDER = Path(__file__).with_name("about_us")
NONE = "none"
CLASSES = (NONE, *(topic.value for topic in SelfTopic))
KEPT, HIDDEN, DROPPED = 3_000, 96, 0.3
EPOCHS, BATCH, RATE, DECAY = 15, 128, 3e-3, 0.01
FOLDS = 5
VECTOR_SCALE = 4.0
"""By which vectors are multiplied, so that they count as much as words."""
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


class Net(nn.Module):
    """One hidden layer over a vector and a bag of words."""

    def __init__(self, words: list[str]) -> None:
        super().__init__()
        self.places = {word: place for place, word in enumerate(words, start=1)}
        self.words = nn.EmbeddingBag(len(words) + 1, HIDDEN, mode="sum", padding_idx=0)
        nn.init.normal_(self.words.weight, std=0.01)
        self.vector = nn.Linear(SPACE.dimensions, HIDDEN)
        self.drop = nn.Dropout(DROPPED)
        self.out = nn.Linear(HIDDEN, len(CLASSES))

    def forward(self, texts: list[str], vectors: dict[str, Any]) -> Any:
        """Return the odds of each class for each text."""
        bags = [[self.places.get(word, 0) for word in features(text)] or [0] for text in texts]
        flat = torch.tensor([place for bag in bags for place in bag])
        if self.training:
            flat = flat * (torch.rand(len(flat)) > DROPPED)
        starts = torch.tensor(np.cumsum([0, *map(len, bags[:-1])]))
        rows = torch.tensor(np.array([vectors[text] for text in texts])) * VECTOR_SCALE
        hidden = self.vector(self.drop(rows)) + self.words(flat, starts)
        return self.out(self.drop(torch.relu(hidden)))

    def likelihoods(self, texts: list[str], vectors: dict[str, Any]) -> Any:
        """Return how likely each class is for each text."""
        self.eval()
        with torch.no_grad():
            return self(texts, vectors).softmax(1).numpy()


def fitted(labelled: Labelled, vectors: dict[str, Any]) -> Net:
    """Return a network that tells the classes apart."""
    torch.manual_seed(1)
    rng = np.random.default_rng(1)
    uses = Counter(word for _, text in labelled for word in features(text))
    ours = Counter(word for label, text in labelled if label != NONE for word in features(text))
    net = Net([word for word, _ in ours.most_common() if uses[word] > 1][:KEPT])
    goal = torch.tensor([CLASSES.index(label) for label, _ in labelled])
    optimizer = torch.optim.AdamW(net.parameters(), lr=RATE, weight_decay=DECAY)
    steps = EPOCHS * (len(labelled) // BATCH)
    pace = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.01, total_iters=steps)
    net.train()
    for _ in range(EPOCHS):
        for some in np.array_split(rng.permutation(len(labelled)), len(labelled) // BATCH):
            loss = nn.functional.cross_entropy(
                net([labelled[at][1] for at in some], vectors), goal[some]
            )
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            pace.step()
    return net


def read_by_others(labelled: Labelled, vectors: dict[str, Any]) -> Any:
    """Return what each fifth is read as by a fit on the others."""
    folds = [int(hashlib.sha256(text.encode()).hexdigest(), 16) % FOLDS for _, text in labelled]
    likely = np.zeros((len(labelled), len(CLASSES)))
    for fold in range(FOLDS):
        held = [at for at, other in enumerate(folds) if other == fold]
        net = fitted([labelled[at] for at, other in enumerate(folds) if other != fold], vectors)
        likely[held] = net.likelihoods([labelled[at][1] for at in held], vectors)
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


def whole_numbers(rows: Any) -> dict[str, Any]:
    """Return weights as they are stored: bytes, and what one of them stands for."""
    scale = float(np.abs(rows).max()) / 127
    numbers = np.round(rows / scale).astype(np.int8)
    return {"scale": scale, "bytes": base64.b64encode(numbers.tobytes()).decode()}


def main(paths: list[str]) -> None:
    """Print the weights as JSON."""
    ours = written()
    policies = [text for text in messages(paths) if text not in ours]
    labelled = [(label, text) for text, label in ours.items()] + [(NONE, one) for one in policies]
    texts = [text for _, text in labelled]
    vectors: dict[str, Any] = dict(zip(texts, vectors_of(texts), strict=True))
    likely = read_by_others(labelled, vectors)
    tell("wordings", labelled[: len(ours)], likely[: len(ours)])
    tell("policies", labelled[len(ours) :], likely[len(ours) :])
    net = fitted(labelled, vectors)
    state = {name: value.numpy().astype(float) for name, value in net.state_dict().items()}
    table = {
        "space": SPACE.revision,
        "classes": CLASSES,
        "words": list(net.places),
        "vector": whole_numbers(state["vector.weight"].T * VECTOR_SCALE),
        "bag": whole_numbers(state["words.weight"][1:]),
        "hidden": state["vector.bias"].round(4).tolist(),
        "out": state["out.weight"].T.round(4).tolist(),
        "odds": state["out.bias"].round(4).tolist(),
    }
    print(json.dumps(table, ensure_ascii=False, separators=(",", ":")))


if __name__ == "__main__":
    if not sys.argv[1:]:
        sys.exit(__doc__)
    main(sys.argv[1:])
