import torch
import torch.nn as nn


def worker(rank, world_size):
    model = nn.Linear(4, 2).to(rank)
    x = torch.zeros(3, 4, device=rank)
    return model(x)
