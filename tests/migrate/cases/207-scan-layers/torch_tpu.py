import torch
import torch.nn as nn
import torch_tpu


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(8, 8) for _ in range(4))

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        for layer in self.layers:
            x = torch.relu(layer(x))
        return x


net = Net().to("tpu")
