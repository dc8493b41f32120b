import os

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler


def setup(rank, world_size):
    os.environ['MASTER_ADDR'] = 'localhost'
    os.environ['MASTER_PORT'] = '12355'
    dist.init_process_group("nccl", rank=rank, world_size=world_size)
    torch.cuda.set_device(rank)


def cleanup():
    dist.destroy_process_group()


def main(rank, world_size, epochs):
    setup(rank, world_size)
    torch.manual_seed(0)
    dataset = TensorDataset(torch.randn(32, 6), torch.randn(32, 2))
    sampler = DistributedSampler(dataset, num_replicas=world_size, rank=rank, shuffle=True)
    loader = DataLoader(dataset, batch_size=8, sampler=sampler, pin_memory=True)
    model = nn.Sequential(nn.Linear(6, 8), nn.Tanh(), nn.Linear(8, 2)).to(rank)
    ddp_model = DDP(model, device_ids=[rank], output_device=rank)
    optimizer = torch.optim.SGD(ddp_model.parameters(), lr=0.05)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for x, y in loader:
            x, y = x.to(rank, non_blocking=True), y.to(rank, non_blocking=True)
            optimizer.zero_grad()
            loss = nn.functional.mse_loss(ddp_model(x), y)
            loss.backward()
            optimizer.step()
        if rank == 0:
            print(f"epoch {epoch} loss {loss.item():.4f}")
    if rank == 0:
        torch.save(ddp_model.module.state_dict(), "ddp.pt")
    cleanup()


if __name__ == "__main__":
    world_size = torch.cuda.device_count()
    if world_size == 1:
        main(0, world_size, 2)
    else:
        mp.spawn(main, args=(world_size, 2), nprocs=world_size, join=True)
