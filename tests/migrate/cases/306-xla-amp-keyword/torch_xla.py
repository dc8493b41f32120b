import torch
import torch_xla
from torch_xla.amp import autocast

device = torch_xla.device()
with autocast(enabled=True, device=device):
    print(torch.ones(1, device=device))
with autocast(dtype=torch.bfloat16, device=device):
    print(torch.ones(1, device=device))
