import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, norm=nn.BatchNorm2d):
        super().__init__()
        self.conv, self.norm = nn.Conv2d(3, 4, 3), norm(4)

    def forward(self, x):
        return self.norm(self.conv(x)).mean()


model = Net().cuda()
norms = [m for m in model.modules() if isinstance(m, nn.BatchNorm2d)]
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
model(torch.rand(2, 3, 8, 8).cuda()).backward()
optimizer.step()
