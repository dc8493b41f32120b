import os
import torch
import torch.distributed as dist
import torch_xla.distributed.xla_backend


def setup(rank, world_size):
    os.environ["MASTER_ADDR"] = "localhost"
    dist.init_process_group("xla", init_method="xla://")
