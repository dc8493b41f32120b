import torch
import torch_xla.core.xla_model as xm

x = torch.ones(2, device=xm.xla_device())
y = xm.all_reduce(xm.REDUCE_MAX, x)
