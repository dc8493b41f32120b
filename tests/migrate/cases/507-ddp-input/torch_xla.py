import torch
from torch.nn.parallel import DistributedDataParallel as DDP
import torch_xla


def step(model, rank):
    ddp_model = DDP(model.to(torch_xla.device()), gradient_as_bucket_view=True)
    return ddp_model(torch.randn(20, 10).to(torch_xla.device()))
