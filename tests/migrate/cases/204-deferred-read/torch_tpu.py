import torch
import torch_tpu

device = torch.device("tpu")


def train(model, loader, optimizer):
    total = 0.0
    for x, y in loader:
        loss = (model(x.to(device)) - y.to(device)).pow(2).mean()
        loss.backward()
        optimizer.step()
        total += loss.detach()
    total = float(total)
    return total / len(loader)
