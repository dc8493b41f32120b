import torch
import torch.nn as nn
import torch_xla

model = nn.Conv2d(3, 8, 3).to("xla")
x = torch.randn(1, 3, 8, 8).to("xla")
