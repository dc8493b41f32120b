import torch
import torch_tpu

if True:
    pass
x = torch.zeros(2).to("tpu")
