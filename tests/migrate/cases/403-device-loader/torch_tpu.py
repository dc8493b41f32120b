import torch
import torch_tpu

device = torch.device("tpu")


def evaluate(model, loader):
    hits = 0
    for x, y in loader:
        hits += (model(x.to(device)).argmax(1) == y.to(device)).sum()
    return hits.item() / len(loader.dataset)
