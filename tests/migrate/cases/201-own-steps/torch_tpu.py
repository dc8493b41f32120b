import torch
from torch.utils.data import DataLoader
import torch_tpu

model = torch.nn.Linear(2, 1).to("tpu")
w = torch.ones(2, device="tpu", requires_grad=True)


def evaluate(loader: DataLoader):
    total, right = 0.0, 0
    with torch.no_grad():
        for x, y in loader:
            out = model(x.to("tpu"))
            total += torch.nn.functional.mse_loss(out, y.to("tpu"), reduction="sum")
            right += (out == y.to("tpu")).sum()
            # after the sums
    return total / len(loader), right


def read(loader: DataLoader):
    total = 0.0
    for x, y in loader:
        total += model(x.to("tpu")).mean().item()
    return total


for i in range(100):
    loss = (w * 2).sum()
    loss.backward()
    with torch.no_grad():
        w -= 0.1 * w.grad
        w.grad.zero_()
