import random
import torch
import torch_tpu

device = torch.device("tpu")
seed = 7
random.seed(seed)
torch.manual_seed(seed)


def reseed(value):
    torch.manual_seed(value)
    torch.tpu.manual_seed_all(value)
