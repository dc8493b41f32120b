import torch
import torch_xla
import torch_xla.distributed.spmd as xs

a = torch.ones(4, 4).to(torch_xla.device())
b = xs.mark_sharding(a + a, mesh, ("data", None)) * 2
print(xs.mark_sharding(a, mesh, ("data", None)) * 2, b)
