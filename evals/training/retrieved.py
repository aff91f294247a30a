"""What the product finds for the questions of ObliQA dev: its first 30 chunks, not read yet.

    python -m evals.training.retrieved OBLIQA OUT.jsonl

OBLIQA is the folder with `documents/` and `dev.json`. One line a question: ``q``, ``gold`` and
``hits``, best first. The first half is trained on, the second measures the order of hits.
"""

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

from core.adapters.postgres.access import migration_url
from core.config.settings import Settings
from core.domain.errors import ConfigError
from core.models import LOCAL, open_embedders
from core.ports import SearchRequest
from core.retrieval.serving_embedder import NoEmbedder
from evals.retrieval import SCOPE
from evals.retrieval_corpus import opened_corpus
from evals.rulebooks import passage_key, read_passages, read_questions

HITS = 30
PASSAGE_WORDS = 170


async def find(folder: Path, out: Path) -> None:
    """Ask all questions."""
    settings = Settings.from_environment()
    passages = read_passages(folder / "documents")
    questions = read_questions(folder / "dev.json", "obliqa", passages)
    async with open_embedders(settings) as embedders:
        embedder = embedders.named(LOCAL)
        if isinstance(embedder, NoEmbedder):
            raise ConfigError(embedder.reason)
        url = await migration_url(settings)
        with out.open("w") as file:
            async with opened_corpus(url, passages, embedder, progress=print) as search:
                for question in questions:
                    request = SearchRequest(
                        text=question.text,
                        embedding=await embedder.embed_query(question.text),
                        scope=SCOPE,
                        limit=HITS,
                    )
                    found = await search.search(request)
                    hits = [_hit(hit) for hit in found.hits]
                    gold = [[key.document, key.number] for key in sorted(question.gold)]
                    line = {"q": question.text, "gold": gold, "hits": hits}
                    file.write(json.dumps(line) + "\n")


def _hit(hit: Any) -> dict[str, object]:
    key = passage_key(policy=hit.place.policy_key, number=hit.place.number)
    return {
        "d": key.document,
        "n": key.number,
        "path": list(hit.place.path),
        "ptitle": hit.place.policy_title,
        "text": " ".join(hit.text.split()[:PASSAGE_WORDS]),
    }


if __name__ == "__main__":
    asyncio.run(find(*(Path(argument) for argument in sys.argv[1:])))
