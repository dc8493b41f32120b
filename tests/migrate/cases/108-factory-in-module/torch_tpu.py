import torch
from torch import nn
import torch_tpu

device = torch.device("tpu")


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(16, 8)
        self.out = nn.Linear(8, 4)

    def forward(self, x):
        steps = torch.arange(x.shape[1], device=x.device)
        mask = torch.ones(
            x.shape[1],  # one a position
            8, device=x.device,
        )
        return self.out(self.embed(x) + self.embed(steps) * mask)


model = Net().to(device)
x = torch.randint(0, 16, (2, 5))
x = x.to(device)
print(model(x).sum().item())
