import torch
from torch.cuda.amp import GradScaler


def train(model, optimizer, loader):
    scaler = GradScaler()
    for x in loader:
        loss = model(x.cuda()).mean()
        scaler.scale(loss).backward()
        scaler.unscale_(optimizer)
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        scaler.step(optimizer)
        scaler.update()
