import torch
import torch_xla


def train(model, optimizer, loader):
    scaler = torch.amp.GradScaler("xla", enabled=False)
    for x in loader:
        loss = model(x.to(torch_xla.device())).mean()
        scaler.scale(loss).backward()
        scaler.unscale_(optimizer)
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        scaler.step(optimizer)
        torch_xla.sync()
        scaler.update()
