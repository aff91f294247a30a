# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false
"""Fit which messages are about the assistant itself, and what they ask of it.

    python -m evals.fit_about_us TRAIN.jsonl ... -- OTHER.jsonl ... > about_us.json

The wordings of `about_us/exemplars.tsv`, some made of parts, are told from each other and from the
messages of TRAIN, which are about policies (`data/workplace`, `data/everyday`, `data/dialogues`,
`data/incidents`, `data/applicability`). A regression over the vectors of the embedder that the
product carries and over words and pairs of words tells them apart. What it does on
`about_us/dev.tsv` and `about_us/later.tsv`, and on OTHER, is told on stderr.
"""

import asyncio
import json
import random
import re
import sys
from collections import Counter
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from core.adapters.local.about_us import VECTOR_SCALE, WORD_SCALE, features
from core.adapters.local.embedder import SPACE, LocalEmbedder, find_local_embedder
from core.domain.question import SURE, SelfTopic
from core.language.languages import Language, language_of

FOLDER = Path(__file__).with_name("about_us")
NONE = "none"
CLASSES = (NONE, *(topic.value for topic in SelfTopic))
KEPT, RIDGE, STEPS, RATE = 2_000, 1e-4, 300, 0.05
SHARE, HARD, MADE = 0.5, 4.0, 1.0
"""Weight of all that is about the assistant, against all that is not; of a wording that somebody
wrote, and of one that is made of it."""
RARE = 2.0
"""By how much a message counts more that is not in English: there are few."""
ROUNDS, NEARLY, MISTAKEN = 2, 0.7, 6.0
"""Fits, each with more weight on the messages that the one before took to be about us: the least
likelihood of not being, and their weight."""
EACH = 60
"""Wordings that are made of a template."""
DIGITS = 2
WHO = (
    "my boss|my manager|HR|IT|my team lead|the CEO|my colleagues|"
    "the works council|an auditor|compliance|someone|anyone"
)
OURS = (
    "this|my questions|what I write here|what I type|what I ask you|this chat|"
    "our chat|these messages|our conversation|my question"
)
THEIRS = (
    "my emails|my calendar|personnel files|salary data|customer data|my sick note|the contract"
    "|my browsing history|the case file|visitor logs|invoices|receipts|accident reports"
    "|CCTV footage"
)
WRONG = (
    "fraud|corruption|theft|harassment|bribery|misconduct|a breach of the code|"
    "wrongdoing|money laundering|discrimination"
)
HIDDEN = (
    "anonymously|without giving my name|confidentially|without my boss knowing|"
    "without being named|in confidence"
)
HARMLESS = (
    "a phishing mail|my hours|an accident|a lost laptop|a data breach|expenses|"
    "a gift|sick leave|mileage|a near miss|a broken lift"
)
WER = "Wer kann|Kann mein Chef|Kann HR|Kann die Personalabteilung|Können Kollegen|Darf jemand"
HIER = "meine Fragen|das hier|diesen Chat|was ich schreibe|meine Nachrichten|was ich frage"
DORT = "die Personalakte|Rechnungen|meine E-Mails|Kundendaten|Verträge|Krankmeldungen|Bewerbungen"
TEMPLATES = (
    ("readers", WER, HIER, "lesen|sehen|einsehen"),
    (NONE, WER, DORT, "lesen|sehen|einsehen"),
    ("storage", "Speicherst du|Protokollierst du|Löschst du|Wie lange speicherst du", HIER),
    (
        "storage",
        "Welche Daten|Was|Welche Informationen",
        "speicherst du|behältst du",
        "von mir|über mich",
    ),
    (
        NONE,
        "Wie lange müssen wir|Dürfen wir|Wann müssen wir|Wie darf ich",
        DORT,
        "aufbewahren|speichern|löschen",
    ),
    (
        "speak_up",
        "Wie|Wo",
        "kann ich|melde ich",
        "Betrug|Korruption|Diebstahl|einen Verstoß",
        "anonym|vertraulich|ohne Namen|melden",
    ),
    ("readers", "can|could|will|does", WHO, "see|read|look at|get to see|find out about", OURS),
    (NONE, "can|could|may|does", WHO, "see|read|look at|open|access", THEIRS),
    ("storage", "do you", "keep|store|save|log|record", OURS),
    (NONE, "do we|do you|does the company", "keep|store|save|log|record", THEIRS),
    ("storage", "how long do you|how long will you", "keep|store|save|hold", OURS),
    (NONE, "how long do we|how long do you|how long must we", "keep|store|save|hold", THEIRS),
    ("storage", "can you|please|could you|how do I get you to", "delete|erase|wipe|remove", OURS),
    (NONE, "can I|may we|how do I|when must we", "delete|erase|shred|remove", THEIRS),
    ("speak_up", "how do I|where can I|how can I|can I|how would one", "report", WRONG, HIDDEN),
    (NONE, "how do I|where do I|when must I|can I|who do I tell to", "report", HARMLESS),
    (NONE, "how do I|where do I|can I|must I", "report", HARMLESS, "late|online|abroad|again"),
)


def wordings() -> Iterator[tuple[str, str]]:
    """Yield class and wording: those written, and some of each template."""
    rng = random.Random(1)
    written = list(_written())
    yield from written
    for label, text in written:
        if label not in {NONE, "speak_up"}:
            yield from ((label, other) for other in in_other_words(text))
    for label, *parts in TEMPLATES:
        made = [" ".join(words) for words in product(*(part.split("|") for part in parts))]
        yield from ((label, text) for text in rng.sample(made, min(EACH, len(made))))


def _written() -> Iterator[tuple[str, str]]:
    for line in (FOLDER / "exemplars.tsv").read_text("utf-8").splitlines():
        label, _, text = line.partition("\t")
        yield label, text


def in_other_words(text: str) -> Iterator[str]:
    """Yield a wording with the assistant named in place of "you"."""
    for name in ("this bot", "the assistant", "this chatbot", "this tool"):
        said = re.sub(r"\bare you\b", f"is {name}", text, flags=re.IGNORECASE)
        said = re.sub(r"\bdo you\b", f"does {name}", said, flags=re.IGNORECASE)
        said = re.sub(r"\byour\b", f"{name}'s", said)
        said = re.sub(r"\byou\b", name, said)
        if said != text:
            yield said


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
    return list(found)


class Rows:
    """Texts as rows of numbers."""

    def __init__(self, embedder: LocalEmbedder, vocabulary: list[str]) -> None:
        self._embedder = embedder
        self._places = {feature: place for place, feature in enumerate(vocabulary)}

    async def of(self, texts: list[str]) -> Any:
        """Return a row for each text: its vector, then its words."""
        vectors = np.array(await self._embedder.embed_documents(texts), dtype=np.float32)
        words = np.zeros((len(texts), len(self._places)), dtype=np.float32)
        for row, text in enumerate(texts):
            words[row, [self._places[f] for f in features(text) if f in self._places]] = WORD_SCALE
        return np.hstack([vectors * VECTOR_SCALE, words])


def fitted(rows: Any, labels: Any, weight: Any) -> tuple[Any, Any]:
    """Return weights and intercepts of a multinomial regression (by Adam)."""
    target = np.eye(len(CLASSES), dtype=np.float32)[labels]
    beta = np.zeros((rows.shape[1] + 1, len(CLASSES)), dtype=np.float32)
    first, second = np.zeros_like(beta), np.zeros_like(beta)
    for step in range(1, STEPS + 1):
        error = (likelihoods(rows, beta) - target) * weight[:, None]
        slope = np.vstack([rows.T @ error + RIDGE * beta[:-1], error.sum(axis=0)])
        first = 0.9 * first + 0.1 * slope
        second = 0.999 * second + 0.001 * slope**2
        pace = RATE * (1 - step / STEPS) + RATE / 25
        beta -= pace * (first / (1 - 0.9**step)) / (np.sqrt(second / (1 - 0.999**step)) + 1e-8)
    return beta[:-1], beta[-1]


def likelihoods(rows: Any, beta: Any) -> Any:
    """Return how likely each class is of each row."""
    odds = rows @ beta[:-1] + beta[-1]
    odds = np.exp(odds - odds.max(axis=1, keepdims=True))
    return odds / odds.sum(axis=1, keepdims=True)


def tell(title: str, labelled: list[tuple[str, str]], likely: Any) -> None:
    """Say what is right, topic by topic, and each that is not."""
    right: Counter[str] = Counter()
    for (label, text), row in zip(labelled, likely, strict=True):
        best = CLASSES[1 + int(row[1:].argmax())]
        got = best if 1 - row[0] >= SURE else NONE
        right[label] += got == label
        if got != label:
            print(f"  {label} -> {got} {1 - row[0]:.2f} {best}: {text}", file=sys.stderr)
    count = Counter(label for label, _ in labelled)
    said = ", ".join(f"{label} {right[label]}/{count[label]}" for label in CLASSES if count[label])
    print(f"{title}: {right.total()}/{len(labelled)}: {said}", file=sys.stderr)


async def main(train: list[str], others: list[str]) -> None:
    """Print the weights as JSON."""
    embedder = find_local_embedder(None)
    if not isinstance(embedder, LocalEmbedder):
        sys.exit(embedder.reason)
    first = dict.fromkeys(_written())
    written = list(first | dict.fromkeys(wordings()))
    asked = messages(train)
    every = [text for _, text in written] + asked
    uses = Counter(feature for _, text in written for feature in set(features(text)))
    vocabulary = [feature for feature, count in uses.most_common(KEPT) if count > 1]
    matrix = Rows(embedder, vocabulary)
    labels = np.array([CLASSES.index(one) for one, _ in written] + [0] * len(asked))
    weight = np.where(np.arange(len(labels)) < len(written), HARD, 1.0)
    weight[len(first) : len(written)] = MADE
    weight[[language_of(text) is not Language.ENGLISH for text in every]] *= RARE
    ours = labels > 0
    weight[ours] *= SHARE * weight[~ours].sum() / weight[ours].sum()
    rows = await matrix.of(every)
    beta = intercept = whole = np.zeros(0)
    for _ in range(ROUNDS):
        beta, intercept = fitted(rows, labels, (weight / weight.sum()).astype(np.float32))
        whole = np.vstack([beta, intercept])
        likely = likelihoods(rows, whole)
        mistaken = ~ours & (likely[:, 0] < NEARLY) & (likely.argmax(axis=1) != len(CLASSES) - 1)
        weight[mistaken & (weight == 1.0)] = MISTAKEN
    for name in ("dev.tsv", "later.tsv"):
        lines = (FOLDER / name).read_text("utf-8").splitlines()
        held = [(label, text) for label, _, text in (line.partition("\t") for line in lines)]
        tell(name, held, likelihoods(await matrix.of([text for _, text in held]), whole))
    known = set(asked)
    other = [text for text in messages(others) if text not in known]
    if other:
        tell("others", [(NONE, one) for one in other], likelihoods(await matrix.of(other), whole))
    table = {
        "space": SPACE.revision,
        "classes": CLASSES,
        "intercepts": rounded(intercept),
        "vector": [rounded(row) for row in beta[: SPACE.dimensions] * VECTOR_SCALE],
        "words": {
            feature: rounded(row)
            for feature, row in zip(vocabulary, beta[SPACE.dimensions :] * WORD_SCALE, strict=True)
        },
    }
    print(json.dumps(table, ensure_ascii=False, separators=(",", ":")))


def rounded(row: Any) -> list[float]:
    """Return numbers as they are stored."""
    return [round(float(one), DIGITS) for one in row]


if __name__ == "__main__":
    given = sys.argv[1:]
    at = given.index("--") if "--" in given else len(given)
    if not given[:at]:
        sys.exit(__doc__)
    asyncio.run(main(given[:at], given[at + 1 :]))
