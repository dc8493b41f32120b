import torch
import torch_tpu

torch.manual_seed(0)
torch.tpu.manual_seed(0)
torch.tpu.manual_seed_all(0)
x = torch.ones(3)
x = x.to("tpu")


def seed(value):
    torch.manual_seed(value)
    if torch.accelerator.is_available():
        torch.tpu.manual_seed(value)
