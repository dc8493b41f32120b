import numpy as np
import torch
import torch_xla
import torch_xla.distributed.spmd as xs
import torch_xla.runtime as xr

xr.use_spmd()
mesh = xs.Mesh(np.arange(4), (2, 2), ("data", "model"))
x = torch.ones(4, 4).to(torch_xla.device())
xs.mark_sharding(x, mesh, ("data", "model"))
print(x.sum())
