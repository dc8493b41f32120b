import torch
import torch.distributed as dist
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.distributed.xla_backend
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP


def run(rank, steps):
    dist.init_process_group("xla", init_method="xla://")
    torch.manual_seed(0)
    device = xm.xla_device()
    model = DDP(nn.Linear(4, 3).to(device), gradient_as_bucket_view=True)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.2)
    for step in range(steps):
        x = torch.full((8, 4), 0.25 * (step + 1)).to(device)
        optimizer.zero_grad()
        loss = model(x).pow(2).mean()
        loss.backward()
        optimizer.step()
        torch_xla.sync()
        if dist.get_rank() == 0:
            print(step, f"{loss.item():.5f}")
    dist.destroy_process_group()


if __name__ == "__main__":
    torch_xla.launch(run, args=(3,))
