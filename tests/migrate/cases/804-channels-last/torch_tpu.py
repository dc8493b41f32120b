import torch
import torch.nn as nn
import torch_tpu

model = nn.Conv2d(3, 8, 3).to("tpu")
x = torch.randn(1, 3, 8, 8).to("tpu")
