import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(16, 8)
        self.out = nn.Linear(8, 4)

    def forward(self, x):
        steps = torch.arange(x.shape[1])
        mask = torch.ones(
            x.shape[1],  # one a position
            8,
        )
        return self.out(self.embed(x) + self.embed(steps) * mask)


model = Net()
x = torch.randint(0, 16, (2, 5))
print(model(x).sum().item())
