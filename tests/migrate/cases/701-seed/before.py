import random
import torch

device = torch.device("cuda")
seed = 7
random.seed(seed)
torch.manual_seed(seed)


def reseed(value):
    torch.manual_seed(value)
    torch.cuda.manual_seed_all(value)
