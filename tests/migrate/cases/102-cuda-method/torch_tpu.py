import torch
import torch.nn as nn
import torch_tpu

model = nn.Linear(4, 2).to("tpu")
x = torch.randn(3, 4).to("tpu", non_blocking=True)
y = torch.randn(3, 4).to("tpu")
print(f"{y.to('tpu').sum()} and '{y.to('tpu')}'", f'{y.to("tpu")}')


def move(batch, device):
    return [t.to(device) for t in batch]
