import torch
from torch.utils.data import DataLoader
import torch_xla

model = torch.nn.Linear(2, 1).to(torch_xla.device())
w = torch.ones(2, device="xla", requires_grad=True)


def evaluate(loader: DataLoader):
    total, right = 0.0, 0
    with torch.no_grad():
        for x, y in loader:
            out = model(x.to(torch_xla.device()))
            total += torch.nn.functional.mse_loss(out, y.to(torch_xla.device()), reduction="sum")
            right += (out == y.to(torch_xla.device())).sum()
            torch_xla.sync()
            # after the sums
    return total / len(loader), right


def read(loader: DataLoader):
    total = 0.0
    for x, y in loader:
        total += model(x.to(torch_xla.device())).mean().item()
    return total


for i in range(100):
    loss = (w * 2).sum()
    loss.backward()
    with torch.no_grad():
        w -= 0.1 * w.grad
        w.grad.zero_()
    torch_xla.sync()
