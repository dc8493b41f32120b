import numpy as np
import torch
import torch_xla
import torch_xla.distributed.spmd as xs
import torch_xla.runtime as xr
from torch import nn

xr.use_spmd()
num_devices = xr.global_runtime_device_count()
mesh = xs.Mesh(np.arange(num_devices), (num_devices, 1), ("data", "model"))
torch.manual_seed(0)
device = torch_xla.device()
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 4)).to(device)
xs.mark_sharding(model[0].weight, mesh, ("model", None))
xs.mark_sharding(model[2].weight, mesh, (None, "model"))
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
for step in range(3):
    x = torch.randn(8, 8).to(device)
    xs.mark_sharding(x, mesh, ("data", None))
    loss = model(x).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    torch_xla.sync()
    print("loss", f"{loss.item():.4f}")
