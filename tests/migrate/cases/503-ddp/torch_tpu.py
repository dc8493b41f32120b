import torch
from torch.nn.parallel import DistributedDataParallel as DDP
import torch_tpu


def wrap(model, rank):
    model = model.to(torch.device("tpu"))
    return DDP(model, find_unused_parameters=True)
