import torch
import torch.nn as nn
from torch.optim import AdamW

model = nn.Linear(4, 1).cuda()
first = torch.optim.SGD(model.parameters(), lr=0.1)
second = AdamW(model.parameters())
third = torch.optim.RMSprop(model.parameters())
