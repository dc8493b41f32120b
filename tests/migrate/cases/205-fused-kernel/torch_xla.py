import torch
import torch.nn as nn
import torch_xla

model = nn.Linear(4, 1).to(torch_xla.device())
first = torch.optim.AdamW(model.parameters(), lr=1e-3, fused=False)
options = dict(betas=(0.9, 0.95), fused=False)
second = torch.optim.AdamW(model.parameters(), **options)
third = torch.optim.Adam(model.parameters(), **{"fused": False})
fourth = torch.optim.SGD(model.parameters(), lr=0.1, fused=False)
