import torch
from torch.utils.data import DataLoader

model = torch.nn.Linear(2, 1).cuda()
w = torch.ones(2, device="cuda", requires_grad=True)


def evaluate(loader: DataLoader):
    total, right = 0.0, 0
    with torch.no_grad():
        for x, y in loader:
            out = model(x.cuda())
            total += torch.nn.functional.mse_loss(out, y.cuda(), reduction="sum")
            right += (out == y.cuda()).sum()
            # after the sums
    return total / len(loader), right


def read(loader: DataLoader):
    total = 0.0
    for x, y in loader:
        total += model(x.cuda()).mean().item()
    return total


for i in range(100):
    loss = (w * 2).sum()
    loss.backward()
    with torch.no_grad():
        w -= 0.1 * w.grad
        w.grad.zero_()
