import torch
import torch.distributed as dist
from torch import nn
import torch_xla
import torch_xla.core.xla_model as xm


def worker(rank, folder):
    model = nn.Linear(2, 2).to(torch_xla.device())
    xm.save(model.state_dict(), f"{folder}/shard-{rank}.pt", master_only=False)
    name = "part-%d.pt" % dist.get_rank()
    xm.save(model.state_dict(), name, master_only=False)
    xm.save(model.state_dict(), f"{folder}/whole.pt")
