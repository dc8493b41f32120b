import torch
from torch.nn.parallel import DistributedDataParallel as DDP
import torch_xla


def wrap(model, rank):
    model = model.to(torch_xla.device())
    return DDP(model, gradient_as_bucket_view=True, find_unused_parameters=True)
