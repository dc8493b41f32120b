import torch
import torch_xla.core.xla_model as xm

x, y = torch.ones(2), None
if xm.is_xla_tensor(x if y is None else y):
    print("there")
