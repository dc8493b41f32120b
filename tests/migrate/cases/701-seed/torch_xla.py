import random
import torch
import torch_xla

device = torch_xla.device()
seed = 7
random.seed(seed)
torch.manual_seed(seed)
torch_xla.manual_seed(seed)


def reseed(value):
    torch.manual_seed(value)
    torch_xla.manual_seed(value)
