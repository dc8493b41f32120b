import torch

device = torch.device("cuda")
x = torch.randn(8).to(device)
indices = torch.nonzero(x > 0)
values = x[x > 0]
distinct = torch.unique(x)
