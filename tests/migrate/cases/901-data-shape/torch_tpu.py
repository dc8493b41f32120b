import torch
import torch_tpu

device = torch.device("tpu")
x = torch.randn(8).to(device)
indices = torch.nonzero(x > 0)
values = x[x > 0]
distinct = torch.unique(x)
