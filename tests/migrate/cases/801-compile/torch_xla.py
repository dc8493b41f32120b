import torch
import torch.nn as nn
import torch_xla

model = torch.compile(nn.Linear(2, 2).to(torch_xla.device()), backend="openxla")


@torch.compile(backend="openxla")
def step(x):
    return x + 1
