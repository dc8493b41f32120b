import torch
import torch_tpu


def train(model, optimizer, loader):
    scaler = torch.amp.GradScaler("tpu", enabled=False)
    for x in loader:
        loss = model(x.to("tpu")).mean()
        scaler.scale(loss).backward()
        scaler.unscale_(optimizer)
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        scaler.step(optimizer)
        scaler.update()
