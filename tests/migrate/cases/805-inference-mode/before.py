import torch
from torch import inference_mode, nn

model = nn.Linear(2, 2).cuda()


@torch.inference_mode()
def predict(x):
    return model(x.cuda())


@torch.inference_mode
def decorated(x):
    return model(x.cuda())


def run(x, frozen):
    with inference_mode(), torch.no_grad():
        y = predict(x)
    with torch.inference_mode(frozen):
        y = y + predict(x)
    with torch.inference_mode(mode=True):
        return y + decorated(x)
