import torch
import torch_xla
import torch_xla.distributed.parallel_loader as pl

device = torch_xla.device()


def evaluate(model, loader):
    hits = 0
    for x, y in pl.MpDeviceLoader(loader, device):
        hits += (model(x.to(device)).argmax(1) == y.to(device)).sum()
    return hits.item() / len(loader.dataset)
