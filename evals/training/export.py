"""Average checkpoints and write the reader as the product runs it: ONNX, int8 per channel.

    python -m evals.training.export OUT.onnx CHECKPOINT...
        [--start START --share 0.5] [--rows OUT.npz]

`--share` takes so much of the checkpoints and the rest of the start: half of a short training was
better than all of it. `--rows` keeps the weights to train further from. Prints the hash that
`core.adapters.local.reader` and the card must name.
"""

import argparse
import hashlib
import tempfile
from collections.abc import Sequence
from pathlib import Path

import onnx
import torch
from onnxruntime.quantization import QuantType, quantize_dynamic

from evals.training.encoder import reader_at, save_rows

OPSET = 17
INPUTS = ("input_ids", "attention_mask", "token_type_ids")


class _Logit(torch.nn.Module):
    def __init__(self, model: torch.nn.Module) -> None:
        super().__init__()
        self.model = model

    def forward(
        self, input_ids: torch.Tensor, attention_mask: torch.Tensor, token_type_ids: torch.Tensor
    ) -> torch.Tensor:
        given = (input_ids, attention_mask, token_type_ids)
        return self.model(**dict(zip(INPUTS, given, strict=True))).logits


def averaged(paths: Sequence[Path]) -> dict[str, torch.Tensor]:
    """Return the mean of several readers, weight by weight."""
    states = [reader_at(path).state_dict() for path in paths]
    return {name: sum(state[name] for state in states) / len(states) for name in states[0]}


def export(model: torch.nn.Module, out: Path) -> None:
    """Write a reader as int8 ONNX."""
    ids = torch.randint(1_000, 2_000, (2, 40))
    axes = {name: {0: "batch", 1: "length"} for name in INPUTS} | {"logits": {0: "batch"}}
    with tempfile.TemporaryDirectory() as folder:
        full = str(Path(folder) / "reader.onnx")
        torch.onnx.export(
            _Logit(model.eval()),
            (ids, torch.ones_like(ids), torch.zeros_like(ids)),
            full,
            input_names=list(INPUTS),
            output_names=["logits"],
            dynamic_axes=axes,
            opset_version=OPSET,
            do_constant_folding=True,
            dynamo=False,
        )
        onnx.checker.check_model(full)
        quantize_dynamic(
            full, str(out), per_channel=True, reduce_range=False, weight_type=QuantType.QInt8
        )


def main() -> None:
    """Export by the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", type=Path)
    parser.add_argument("checkpoints", type=Path, nargs="+")
    parser.add_argument("--start", type=Path)
    parser.add_argument("--share", type=float, default=1.0)
    parser.add_argument("--rows", type=Path)
    given = parser.parse_args()
    if given.share < 1 and given.start is None:
        parser.error("--share needs --start")
    state = averaged(given.checkpoints)
    if given.start is not None:
        start = reader_at(given.start).state_dict()
        state = {n: (1 - given.share) * start[n] + given.share * v for n, v in state.items()}
    model = reader_at(given.checkpoints[0])
    model.load_state_dict(state)
    if given.rows is not None:
        save_rows(model.state_dict(), given.rows)
    export(model, given.out)
    digest = hashlib.sha256(given.out.read_bytes()).hexdigest()
    print(f"{given.out}: {given.out.stat().st_size} bytes, SHA-256 {digest}")


if __name__ == "__main__":
    main()
