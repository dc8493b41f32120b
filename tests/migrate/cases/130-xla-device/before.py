import torch
import torch_xla
import torch_xla.core.xla_model as xm

device = xm.xla_device()
x = torch.ones(2, device="xla") + torch.ones(2).to(torch_xla.device())
if xm.xla_device_hw(device) == "TPU" and xm.is_xla_tensor(x):
    print(x.device.type == "xla", torch_xla.device_count())
