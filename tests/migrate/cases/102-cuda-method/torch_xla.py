import torch
import torch.nn as nn
import torch_xla

model = nn.Linear(4, 2).to(torch_xla.device())
x = torch.randn(3, 4).to(torch_xla.device(), non_blocking=True)
y = torch.randn(3, 4).to(torch_xla.device())
print(f"{y.to(torch_xla.device()).sum()} and '{y.to(torch_xla.device())}'", f'{y.to(torch_xla.device())}')


def move(batch, device):
    return [t.to(device) for t in batch]
