import torch
import torch_xla

device = torch_xla.device()
x = torch.randn(8).to(device)
indices = torch.nonzero(x > 0)
values = x[x > 0]
distinct = torch.unique(x)
