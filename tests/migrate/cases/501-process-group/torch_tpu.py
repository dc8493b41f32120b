import os
import torch
import torch.distributed as dist
import torch_tpu


def setup(rank, world_size):
    os.environ["MASTER_ADDR"] = "localhost"
    dist.init_process_group("tpu_dist", rank=rank, world_size=world_size)
    torch.accelerator.set_device_index(rank)
