import torch
import torch.nn as nn

model = nn.Conv2d(3, 8, 3).to("cuda")
model = model.to(memory_format=torch.channels_last)
x = torch.randn(1, 3, 8, 8).to("cuda", memory_format=torch.channels_last)
