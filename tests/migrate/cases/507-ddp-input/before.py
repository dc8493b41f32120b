import torch
from torch.nn.parallel import DistributedDataParallel as DDP


def step(model, rank):
    ddp_model = DDP(model.to(rank), device_ids=[rank])
    return ddp_model(torch.randn(20, 10))
