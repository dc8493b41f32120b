import torch
import torch_xla

if True:
    pass
x = torch.zeros(2).to(torch_xla.device())
