import torch
import torch.nn as nn

model = torch.compile(nn.Linear(2, 2).cuda(), mode="reduce-overhead")


@torch.compile
def step(x):
    return x + 1
