import torch
import torch.nn as nn
from torch.optim import AdamW
import torch_xla
import torch_xla.amp.syncfree as syncfree

model = nn.Linear(4, 1).to(torch_xla.device())
first = syncfree.SGD(model.parameters(), lr=0.1)
second = syncfree.AdamW(model.parameters())
third = torch.optim.RMSprop(model.parameters())
