import torch
import torch_tpu

a = torch.ones(4, 4).to(torch.device("tpu"))
b = (a + a) * 2
print(a * 2, b)
