import torch
import torch.distributed as dist
from torch import nn


def worker(rank, folder):
    model = nn.Linear(2, 2).cuda(rank)
    torch.save(model.state_dict(), f"{folder}/shard-{rank}.pt")
    name = "part-%d.pt" % dist.get_rank()
    torch.save(model.state_dict(), name)
    torch.save(model.state_dict(), f"{folder}/whole.pt")
