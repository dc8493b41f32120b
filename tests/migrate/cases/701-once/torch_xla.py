import torch
import torch_xla

torch.manual_seed(0)
torch_xla.manual_seed(0)
x = torch.ones(3)
x = x.to(torch_xla.device())


def seed(value):
    torch.manual_seed(value)
    if torch_xla.device_count() > 0:
        torch_xla.manual_seed(value)
