import os

os.environ["PJRT_DEVICE"] = "TPU"

import torch
import torch_xla
import torch_xla.core.xla_model as xm
from torch import nn
from torch_xla.amp import GradScaler, autocast, syncfree

torch.manual_seed(0)
torch_xla.manual_seed(0)
device = torch_xla.device()
model = nn.Sequential(nn.Linear(8, 8), nn.GELU(), nn.Linear(8, 1)).to(device)
optimizer = syncfree.Adam(model.parameters(), lr=1e-2)
scaler = GradScaler()
x = torch.randn(16, 8).to(device)
for step in range(3):
    optimizer.zero_grad()
    with autocast(device):
        loss = model(x).square().mean()
    scaler.scale(loss).backward()
    gradients = [p.grad for p in model.parameters()]
    xm.all_reduce(xm.REDUCE_SUM, gradients, scale=1.0 / xm.xrt_world_size())
    scaler.step(optimizer)
    scaler.update()
    xm.mark_step()
    print("loss", f"{loss.item():.1f}")
