import torch

device = torch.device("cuda")


def train(model, loader, optimizer):
    total = 0.0
    for x, y in loader:
        loss = (model(x.to(device)) - y.to(device)).pow(2).mean()
        loss.backward()
        optimizer.step()
        total += loss.item()
    return total / len(loader)
