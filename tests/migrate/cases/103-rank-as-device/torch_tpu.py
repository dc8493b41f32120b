import torch
import torch.nn as nn
import torch_tpu


def worker(rank, world_size):
    model = nn.Linear(4, 2).to(torch.device("tpu"))
    x = torch.zeros(3, 4, device=torch.device("tpu"))
    return model(x)
