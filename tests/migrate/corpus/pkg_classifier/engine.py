import torch
import torch.nn.functional as F

from config import DEVICE


def run_epoch(model, loader, optimizer):
    total, seen = 0.0, 0
    for images, labels in loader:
        images, labels = images.to(DEVICE), labels.to(DEVICE)
        optimizer.zero_grad()
        loss = F.cross_entropy(model(images), labels)
        loss.backward()
        optimizer.step()
        total += loss.item() * len(labels)
        seen += len(labels)
    return total / seen


@torch.no_grad()
def accuracy(model, loader):
    hits = sum((model(images.to(DEVICE)).argmax(1) == labels.to(DEVICE)).sum().item() for images, labels in loader)
    return hits / len(loader.dataset)
