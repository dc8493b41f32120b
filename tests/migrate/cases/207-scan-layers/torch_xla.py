import torch
import torch.nn as nn
import torch_xla
import torch_xla.experimental.scan_layers as scan


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(8, 8) for _ in range(4))

    def forward(self, x):
        x = scan.scan_layers(self.layers, x)
        for layer in self.layers:
            x = torch.relu(layer(x))
        return x


net = Net().to(torch_xla.device())
