import torch
from torch import inference_mode, nn
import torch_tpu

model = nn.Linear(2, 2).to("tpu")


@torch.inference_mode()
def predict(x):
    return model(x.to("tpu"))


@torch.inference_mode
def decorated(x):
    return model(x.to("tpu"))


def run(x, frozen):
    with inference_mode(), torch.no_grad():
        y = predict(x)
    with torch.inference_mode(frozen):
        y = y + predict(x)
    with torch.inference_mode(mode=True):
        return y + decorated(x)
