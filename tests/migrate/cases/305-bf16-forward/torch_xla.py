import torch
import torch.nn as nn
import torch_xla


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 4)

    def forward(self, x):
        return torch.relu(self.layer(x))


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.block = Block()

    @torch.autocast("xla", dtype=torch.bfloat16)
    def forward(self, x):
        return self.block(x)


net = Net().to(torch_xla.device())
