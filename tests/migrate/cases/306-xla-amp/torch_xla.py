import torch
import torch_xla
from torch_xla.amp import autocast, syncfree

device = torch_xla.device()
model = torch.nn.Linear(2, 2).to(device)
optimizer = syncfree.SGD(model.parameters(), lr=0.1)
with autocast(device):
    loss = model(torch.ones(1, 2, device=device)).sum()
