import torch
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl
from engine import train_epoch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def worker(index, epochs):
    torch.manual_seed(11)
    device = torch_xla.device()
    model = nn.Sequential(nn.Conv1d(2, 4, 3), nn.GroupNorm(2, 4), nn.ReLU(), nn.Flatten(), nn.Linear(24, 2)).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1, 0.5)
    data = TensorDataset(torch.randn(24, 2, 8), torch.randint(0, 2, (24,)))
    loader = pl.MpDeviceLoader(DataLoader(data, batch_size=8), device)
    for epoch in range(epochs):
        loss = train_epoch(model, loader, optimizer, nn.CrossEntropyLoss())
        scheduler.step()
        xm.master_print(f"epoch {epoch}", f"loss {loss:.3f}")
    xm.rendezvous("trained")
    xm.save(model.state_dict(), "trained.pt")


if __name__ == "__main__":
    torch_xla.launch(worker, args=(2,))
