# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false
"""Fit the classifier of languages on translations of user interfaces.

    python -m evals.fit_language FOLDER > core/language/weights/languages.json

FOLDER holds compiled catalogues anywhere below it (`*/de/LC_MESSAGES/django.mo`), as the wheels of
Django, Wagtail and Django REST framework do, which are under the BSD licence. Only weights are
kept, no text. Strings are cut into stretches of a few words, as short as messages are. What comes
of it on the messages of `evals/languages`, which are not among them, is told on stderr.
"""

import gettext
import json
import random
import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from core.language.languages import Language, parts

MESSAGES = Path(__file__).parent / "languages"
LANGUAGES = {"en": 0, "de": 1, "fr": 2, "es": 3}
OTHERS = ("it", "pt", "pt_BR", "nl", "pl", "sv", "da", "tr", "cs")
EACH, OTHER_EACH = 5_000, 700
VOCABULARY, KEPT = 5_000, 2_500
STEPS, RATE, DECAY = 260, 0.05, 2e-5
_MARKUP = re.compile(r"%\([^)]*\)[a-z]|%[a-z]|\{[^}]*\}|<[^>]*>|&\w+;")


def strings(folder: Path, code: str) -> Iterator[str]:
    """Yield the texts in a language; those of English are the ones that others translate."""
    read = "de" if code == "en" else code
    for path in sorted(folder.rglob(f"{read}/LC_MESSAGES/*.mo")):
        with path.open("rb") as file:
            catalogue = gettext.GNUTranslations(file)._catalog  # noqa: SLF001  # pyright: ignore[reportAttributeAccessIssue]  # it has no other list
        for key, value in sorted(catalogue.items(), key=str):
            said = (key[0] if isinstance(key, tuple) else key) if code == "en" else value
            said = _MARKUP.sub(" ", said.split("\x04")[-1])
            if said != key or code == "en":
                yield said


def stretches(texts: Iterator[str], most: int, rng: random.Random) -> list[str]:
    """Return stretches of two to ten words, drawn from texts."""
    found = list(dict.fromkeys(text for text in texts if len(text.split()) > 1))
    rng.shuffle(found)
    drawn: list[str] = []
    while len(drawn) < most:
        words = found[len(drawn) % len(found)].split()
        length = min(len(words), rng.randint(2, 10))
        at = rng.randint(0, len(words) - length)
        drawn.append(" ".join(words[at : at + length]))
    return drawn


def matrix(texts: list[str], places: dict[str, int]) -> np.ndarray:
    """Return how often each part occurs, over the root of how many there are."""
    made = np.zeros((len(texts), len(places)), dtype=np.float32)
    for row, text in enumerate(texts):
        for part in parts(text):
            if part in places:
                made[row, places[part]] += 1
    return made / np.sqrt(np.maximum(made.sum(axis=1, keepdims=True), 1))


def fitted(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return the weights of a logistic regression without intercept, by Adam."""
    w = np.zeros((x.shape[1], len(Language)), dtype=np.float32)
    first, second = np.zeros_like(w), np.zeros_like(w)
    wanted = np.eye(len(Language), dtype=np.float32)[y]
    for step in range(1, STEPS + 1):
        odds = x @ w
        odds -= odds.max(axis=1, keepdims=True)
        chances = np.exp(odds)
        chances /= chances.sum(axis=1, keepdims=True)
        gradient = x.T @ (chances - wanted) / len(x) + DECAY * w
        first = 0.9 * first + 0.1 * gradient
        second = 0.999 * second + 0.001 * gradient**2
        w -= RATE * (first / (1 - 0.9**step)) / (np.sqrt(second / (1 - 0.999**step)) + 1e-8)
    return w


def main() -> None:
    """Fit, and print the weights."""
    folder, rng = Path(sys.argv[1]), random.Random(7)
    texts: list[str] = []
    labels: list[int] = []
    for code, label in LANGUAGES.items():
        drawn = stretches(strings(folder, code), EACH, rng)
        texts += drawn
        labels += [label] * len(drawn)
    for code in OTHERS:
        drawn = stretches(strings(folder, code), OTHER_EACH, rng)
        texts += drawn
        labels += [4] * len(drawn)
    known = Counter(part for text in texts for part in set(parts(text)))
    vocabulary = {part: at for at, (part, _) in enumerate(known.most_common(VOCABULARY))}
    y = np.array(labels)
    w = fitted(matrix(texts, vocabulary), y)
    strength = w.max(axis=1) - w.min(axis=1)
    listed = list(vocabulary)
    kept = {listed[at]: n for n, at in enumerate(np.argsort(-strength)[:KEPT])}
    w = fitted(matrix(texts, kept), y)
    rows = {part: [round(float(one), 2) for one in w[at]] for part, at in sorted(kept.items())}
    json.dump({"weights": rows}, sys.stdout, ensure_ascii=False, separators=(",", ":"))
    sys.stdout.write("\n")


if __name__ == "__main__":
    main()
