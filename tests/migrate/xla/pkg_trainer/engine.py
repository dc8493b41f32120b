import torch
import torch_xla.core.xla_model as xm


def average(values):
    return sum(values) / len(values)


def train_epoch(model, loader, optimizer, loss_fn):
    model.train()
    losses = []
    for x, y in loader:
        optimizer.zero_grad()
        loss = loss_fn(model(x), y)
        loss.backward()
        xm.reduce_gradients(optimizer)
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        losses.append(loss.detach())
    mean = torch.stack(losses).mean()
    mean = xm.all_reduce(xm.REDUCE_SUM, mean) / xm.xrt_world_size()
    gathered = xm.all_gather(mean.reshape(1))
    return xm.mesh_reduce("loss", gathered.mean().item(), average)
