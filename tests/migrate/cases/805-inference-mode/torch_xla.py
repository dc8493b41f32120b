import torch
from torch import inference_mode, nn
import torch_xla

model = nn.Linear(2, 2).to(torch_xla.device())


@torch.no_grad()
def predict(x):
    return model(x.to(torch_xla.device()))


@torch.no_grad
def decorated(x):
    return model(x.to(torch_xla.device()))


def run(x, frozen):
    with torch.no_grad(), torch.no_grad():
        y = predict(x)
    with torch.set_grad_enabled(not frozen):
        y = y + predict(x)
    with torch.no_grad():
        return y + decorated(x)
