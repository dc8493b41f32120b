import torch
import torch.nn as nn
import torch_tpu

model = torch.compile(nn.Linear(2, 2).to("tpu"), backend="tpu")


@torch.compile(backend="tpu")
def step(x):
    return x + 1
