import torch
import torch.nn as nn

model = nn.Linear(4, 1).cuda()
first = torch.optim.AdamW(model.parameters(), lr=1e-3, fused=True)
options = dict(betas=(0.9, 0.95), fused=True)
second = torch.optim.AdamW(model.parameters(), **options)
third = torch.optim.Adam(model.parameters(), **{"fused": True})
fourth = torch.optim.SGD(model.parameters(), lr=0.1, fused=False)
