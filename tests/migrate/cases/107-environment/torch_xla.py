import os
import torch
import torch_xla

os.environ["OMP_NUM_THREADS"] = "4"
x = torch.zeros(1).to(torch_xla.device())
