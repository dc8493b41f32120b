import torch
from torch.nn.parallel import DistributedDataParallel as DDP
import torch_tpu


def step(model, rank):
    ddp_model = DDP(model.to(torch.device("tpu")))
    return ddp_model(torch.randn(20, 10).to(torch.device("tpu")))
