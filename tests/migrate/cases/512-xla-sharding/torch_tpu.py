import numpy as np
import torch
import torch_tpu

x = torch.ones(4, 4).to(torch.device("tpu"))
print(x.sum())
