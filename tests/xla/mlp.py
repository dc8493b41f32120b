"""PyTorch/XLA on Tenfold's PJRT plugin: forward passes and training steps of a small network, against PyTorch's CPU.

    TENFOLD_PJRT_LIBRARY=lib/libtenfold_pjrt.so python tests/xla/mlp.py

Needs torch_xla 2.9 in the environment (scripts/test-xla makes one). Exits with 1 when results differ.
"""

from __future__ import annotations

import copy
import os
import sys

os.environ["PJRT_DEVICE"] = "TENFOLD"
os.environ["XLA_STABLEHLO_COMPILE"] = "1"  # programs as StableHLO and not as XLA's own HLO

import torch
import torch_xla
from torch import nn
from torch_xla.experimental import plugins


class Tenfold(plugins.DevicePlugin):
    def library_path(self) -> str:
        return os.path.abspath(os.environ.get("TENFOLD_PJRT_LIBRARY", "lib/libtenfold_pjrt.so"))

    def configure_single_process(self) -> None:
        pass


def network() -> nn.Module:
    torch.manual_seed(0)
    return nn.Sequential(
        *(nn.Conv2d(3, 8, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten()),
        *(nn.Linear(128, 32), nn.LayerNorm(32), nn.GELU(), nn.Linear(32, 10)),
    )


def train(model: nn.Module, x: torch.Tensor, y: torch.Tensor, steps: int) -> list[float]:
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    losses = []
    for _ in range(steps):
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        torch_xla.sync()
        losses.append(loss.item())
    return losses


def main() -> int:
    plugins.register_plugin("TENFOLD", Tenfold())
    plugins.use_dynamic_plugins()
    device = torch_xla.device()
    print("device", device, torch_xla._XLAC._xla_get_all_devices(), flush=True)
    ours, theirs = network(), network()
    x, y = torch.randn(16, 3, 8, 8), torch.arange(16) % 10
    there = copy.deepcopy(ours).to(device)
    with torch.no_grad():
        forward = float((there(x.to(device)).cpu() - theirs(x)).abs().max())
    print("forward: apart at most", forward, flush=True)
    got, want = train(there, x.to(device), y.to(device), 3), train(theirs, x, y, 3)
    print("losses", got, "on PyTorch's CPU", want, flush=True)
    pairs = zip(there.parameters(), theirs.parameters(), strict=True)
    apart = max(float((a.detach().cpu() - b.detach()).abs().max()) for a, b in pairs)
    print("parameters after 3 steps: apart at most", apart, flush=True)
    return (
        0 if forward < 1e-5 and apart < 1e-5 and max(abs(a - b) for a, b in zip(got, want, strict=True)) < 1e-5 else 1
    )


if __name__ == "__main__":
    sys.exit(main())
