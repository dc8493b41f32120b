import torch
import torch_xla
import torch_xla.runtime as xr

if xr.local_ordinal() == 0:
    print("first")
names = ["a", "b"]
index = xr.local_ordinal()
print(names[index], xr.local_ordinal())
x = torch.ones(2).to(torch_xla.device())
where = torch_xla.device()
y = torch.ones(2, device=torch_xla.device())
