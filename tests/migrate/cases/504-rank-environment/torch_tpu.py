import os
import torch
import torch_tpu


def main():
    local_rank = int(os.environ["LOCAL_RANK"])
    rank = int(os.environ["RANK"])
    torch.accelerator.set_device_index(local_rank)
    return torch.zeros(1, device=torch.device("tpu")), rank
