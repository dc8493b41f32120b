import torch
import torch_xla

device = torch_xla.device()


def train(model, loader, optimizer):
    total = 0.0
    for x, y in loader:
        loss = (model(x.to(device)) - y.to(device)).pow(2).mean()
        loss.backward()
        optimizer.step()
        torch_xla.sync()
        total += loss.detach()
    total = float(total)
    return total / len(loader)
