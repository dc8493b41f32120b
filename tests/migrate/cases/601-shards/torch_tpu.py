import torch
import torch.distributed as dist
from torch import nn
import torch_tpu


def worker(rank, folder):
    model = nn.Linear(2, 2).to("tpu")
    torch.save(model.state_dict(), f"{folder}/shard-{rank}.pt")
    name = "part-%d.pt" % dist.get_rank()
    torch.save(model.state_dict(), name)
    torch.save(model.state_dict(), f"{folder}/whole.pt")
