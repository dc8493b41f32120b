import torch
import torch.nn as nn
from torch.optim import AdamW
import torch_tpu

model = nn.Linear(4, 1).to("tpu")
first = torch.optim.SGD(model.parameters(), lr=0.1, foreach=True)
second = AdamW(model.parameters(), foreach=True)
third = torch.optim.RMSprop(model.parameters())
