import torch
from torch.nn.parallel import DistributedDataParallel as DDP


def wrap(model, rank):
    model = model.to(rank)
    return DDP(model, device_ids=[rank], output_device=rank, find_unused_parameters=True)
