import torch
import torch.nn as nn
import torch_xla


def worker(rank, world_size):
    model = nn.Linear(4, 2).to(torch_xla.device())
    x = torch.zeros(3, 4, device=torch_xla.device())
    return model(x)
