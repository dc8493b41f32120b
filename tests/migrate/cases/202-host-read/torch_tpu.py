import torch
import torch_tpu

device = torch.device("tpu")


def train(model, loader, optimizer):
    total = 0.0
    for i, (x, y) in enumerate(loader):
        loss = (model(x.to(device)) - y.to(device)).pow(2).mean()
        loss.backward()
        optimizer.step()
        total += loss.item()
        if i % 100 == 0:
            print(loss.item())
    return total
