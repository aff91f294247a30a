"""What can be typed after `citebound eval`. Imports nothing heavy."""

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from bot.console.arguments import help_texts, values

if TYPE_CHECKING:
    _Subparsers = argparse._SubParsersAction[argparse.ArgumentParser]  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]  # it has no public name


def add_measures(
    parser: argparse.ArgumentParser,
    add: "Callable[[_Subparsers, str, str, help_texts.Help], argparse.ArgumentParser]",
    *,
    with_json: Callable[[argparse.ArgumentParser], None],
) -> None:
    """Add what can be measured.

    Args:
        parser: of `citebound eval`.
        add: makes a parser below another one.
        with_json: adds the option `--json`.
    """
    measures = parser.add_subparsers(
        title="what to measure", metavar="WHAT", required=True, dest="action"
    )
    retrieval = add(measures, "retrieval", "evaluate", help_texts.EVAL_RETRIEVAL)
    retrieval.add_argument(
        "--dataset", choices=("obliqa", "xref"), required=True, help="how it is labelled"
    )
    retrieval.add_argument(
        "--documents", type=Path, required=True, metavar="DIR", help="passages, JSON"
    )
    retrieval.add_argument(
        "--questions", type=Path, required=True, metavar="FILE", help="questions"
    )
    retrieval.add_argument(
        "--limit", type=values.positive, metavar="N", help="the first N questions only"
    )
    retrieval.add_argument(
        "--space", default="local", metavar="SPACE", help="voyage or voyage:MODEL; default: local"
    )
    retrieval.add_argument("--lexical-only", action="store_true", help="without the embedder")
    retrieval.add_argument("--reader", action="store_true", dest="reads", help="with the reader")
    with_json(retrieval)
    answers = add(measures, "answers", "evaluate", help_texts.EVAL_ANSWERS)
    answers.add_argument(
        "--ablate", action="store_true", help="ask again with the gold sections deleted"
    )
    documents = add(measures, "documents", "evaluate", help_texts.EVAL_DOCUMENTS)
    documents.add_argument(
        "--questions", type=Path, required=True, metavar="FILE", help="questions, JSON lines"
    )
    documents.add_argument(
        "--documents",
        type=Path,
        metavar="DIR",
        help="what the documents' paths start from; default: the folder above that of FILE",
    )
    documents.add_argument(
        "--only", default="*", metavar="GLOB", help="documents with such a path only"
    )
    documents.add_argument(
        "--limit", type=values.positive, metavar="N", help="N questions from all over the file"
    )
    documents.add_argument(
        "--alone",
        action="store_true",
        dest="is_alone",
        help="a database for each document: slower, for figures that are quoted",
    )
    with_json(documents)
    for measure in (answers, documents):
        measure.add_argument(
            "--without-reader", action="store_true", help="with the local reader switched off"
        )
    latency = add(measures, "latency", "evaluate", help_texts.EVAL_LATENCY)
    for measure in (answers, latency):
        measure.add_argument(
            "--questions", type=Path, required=True, metavar="FILE", help="questions, JSON lines"
        )
        measure.add_argument(
            "--policies", type=Path, metavar="DIR", help="default: ../policies beside them"
        )
        with_json(measure)
    verify = add(measures, "verify", "evaluate", help_texts.EVAL_VERIFY)
    verify.add_argument(
        "--pairs",
        dest="questions",
        type=Path,
        required=True,
        metavar="FILE",
        help="statements with the texts they cite, JSON lines",
    )
    verify.add_argument(
        "--guard",
        type=Path,
        metavar="DIR",
        help="another guard than the shipped one: a folder with model.onnx and tokenizer.json",
    )
    with_json(verify)
