"""Names that are imported give way to classes of the same name; a batch norm of the program's own is one of them."""
import torch
from torch.nn import BatchNorm1d
from torch.nn import BatchNorm3d as Norm
from torch.nn.functional import batch_norm


class Doubled(Norm):
    def forward(self, x):
        return 2 * super().forward(x)


class Plain(torch.nn.Module):
    def forward(self, x, mean, variance):
        return batch_norm(x, mean, variance, training=self.training)


model = torch.nn.Sequential(Doubled(3), torch.nn.Flatten(), BatchNorm1d(24)).to("cuda")
model(torch.rand(2, 3, 2, 2, 2).to("cuda")).sum().backward()
