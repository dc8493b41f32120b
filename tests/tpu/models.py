"""Eight models trained on the device "tpu" of TorchTPU, eagerly and by torch.compile(backend="tpu"), as on the CPU.

    tenfold tpu-sim -q -- python tests/tpu/models.py [--steps 3] [NAME…]

Small configurations: all layers of the architectures, few channels. Prints a line for each; the status is 1 when
losses differ. Batch norm over few values magnifies rounding: the CPU's run in float64 says by how much they may.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from torch import nn

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "python"))
import zoo

NAMES = ("bert", "gpt2", "llama", "vit", "resnet50", "vgg19", "lstm", "unet")
RELATIVE, NEARLY = 1e-4, 8.0


def models() -> dict[str, tuple[Callable[[], nn.Module], Callable[..., tuple[Any, ...]]]]:
    known = zoo.MODELS | zoo.transformers_models()
    return {name: known[name] for name in NAMES if name in known}


def first_of(value: Any) -> torch.Tensor:
    if isinstance(value, torch.Tensor):
        return value
    return first_of(next(iter(value.values())) if isinstance(value, dict) else value[0])


def train(
    name: str, device: str, steps: int, compiled: bool = False, dtype: torch.dtype = torch.float32
) -> list[float]:
    make, inputs = models()[name]
    torch.manual_seed(0)
    torch.__future__.set_swap_module_params_on_conversion(True)  # else TorchTPU's copies of tied weights come apart
    model = zoo.settle(make()).to(dtype)
    for module in model.modules():
        if isinstance(module, nn.Dropout):  # numbers are drawn differently on every device
            module.p = 0.0
    given = [x.to(dtype) if x.is_floating_point() else x for x in inputs()]
    model, given = model.to(device).train(), [x.to(device) for x in given]
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    run = torch.compile(model, backend="tpu") if compiled else model
    losses = []
    for _ in range(steps):
        loss = first_of(run(*given)).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


def compile_recurrent_layers_by_their_cells() -> None:
    """TorchTPU compiles an LSTM or GRU as one op, aten::lstm, which it gives no derivative: the layer, and what comes
    before it, would not be trained. PyTorch's own setting breaks the graph there."""
    import torch._dynamo
    import torch_tpu  # noqa: F401  (it sets the other way when it is loaded)

    if hasattr(torch._dynamo.config, "allow_rnn"):
        torch._dynamo.config.allow_rnn = False


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=3)
    parser.add_argument("names", nargs="*", default=list(models()))
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    compile_recurrent_layers_by_their_cells()
    failed = 0
    for name in options.names:
        want, exact = (train(name, "cpu", options.steps, dtype=d) for d in (torch.float32, torch.float64))
        for compiled in (False, True):
            start = time.perf_counter()
            have = train(name, "tpu", options.steps, compiled)
            rows = zip(want, have, exact, strict=True)
            same = all(abs(h - w) <= RELATIVE * abs(w) + NEARLY * abs(w - e) for w, h, e in rows)
            failed += not same
            how = "compiled" if compiled else "eager"
            took = time.perf_counter() - start
            shown = " ".join(f"{loss:.6f}" for loss in have)
            print(f"{'same' if same else 'DIFFERS':8}{name:10}{how:10}{took:6.1f} s  {shown}", flush=True)
            if not same:
                print(f"        the CPU: {' '.join(f'{loss:.6f}' for loss in want)}")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
