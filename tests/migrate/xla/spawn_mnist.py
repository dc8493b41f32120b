"""The classic: xmp.spawn, a device loader, xm.optimizer_step and step closures."""

import argparse

import torch
import torch.nn as nn
import torch.nn.functional as F
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl
import torch_xla.distributed.xla_multiprocessing as xmp
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 4, 3)
        self.fc = nn.Linear(4 * 6 * 6, 10)

    def forward(self, x):
        x = F.relu(self.conv(x))
        return F.log_softmax(self.fc(x.flatten(1)), dim=1)


def report(epoch, step, loss):
    print(f"epoch {epoch} step {step} loss {loss.item():.3f}")


def train_mnist(index, flags):
    """One process of the training."""
    torch.manual_seed(1)
    dataset = TensorDataset(torch.randn(32, 1, 8, 8), torch.randint(0, 10, (32,)))
    sampler = None
    if xm.xrt_world_size() > 1:
        sampler = DistributedSampler(dataset, num_replicas=xm.xrt_world_size(), rank=xm.get_ordinal(), shuffle=True)
    loader = DataLoader(dataset, batch_size=8, sampler=sampler, drop_last=True)
    device = xm.xla_device()
    model = Net().to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=flags["lr"] * xm.xrt_world_size(), momentum=0.9)
    device_loader = pl.MpDeviceLoader(loader, device)
    for epoch in range(flags["epochs"]):
        model.train()
        for step, (data, target) in enumerate(device_loader):
            optimizer.zero_grad()
            loss = F.nll_loss(model(data), target)
            loss.backward()
            xm.optimizer_step(optimizer)
            if step % 2 == 0:
                xm.add_step_closure(report, args=(epoch, step, loss))
    accuracy = test(model, device_loader)
    accuracy = xm.mesh_reduce("accuracy", accuracy, max)
    xm.master_print(f"accuracy {accuracy:.2f}")
    xm.rendezvous("end")


def test(model, loader):
    correct = total = 0
    model.eval()
    with torch.no_grad():
        for data, target in loader:
            correct += model(data).argmax(1).eq(target).sum().item()
            total += data.shape[0]
    return 100.0 * correct / total


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--lr", type=float, default=0.05)
    parser.add_argument("--epochs", type=int, default=2)
    flags = vars(parser.parse_args())
    xmp.spawn(train_mnist, args=(flags,), nprocs=None, start_method="spawn")
