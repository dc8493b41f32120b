import torch
import torch_xla.core.xla_model as xm
from torch.utils.data import DataLoader, TensorDataset
from torch_xla.distributed import parallel_loader as pl, xla_multiprocessing as xmp

FLAGS = {"lr": 0.1}


def _mp_fn(rank, flags):
    torch.manual_seed(rank)
    device = xm.xla_device()
    weight = torch.zeros(3, 1, device=device, requires_grad=True)
    data = TensorDataset(torch.randn(12, 3), torch.randn(12, 1))
    optimizer = torch.optim.SGD([weight], lr=flags["lr"])
    for epoch in range(2):
        para_loader = pl.ParallelLoader(DataLoader(data, batch_size=4), [device])
        for x, y in para_loader.per_device_loader(device):
            optimizer.zero_grad()
            loss = ((x @ weight - y) ** 2).mean()
            loss.backward()
            xm.optimizer_step(optimizer, barrier=True)
        xm.add_step_closure(lambda e, v: print(f"epoch {e}: {v.item():.3f}"), args=(epoch, loss))
    xm.mark_step()
    if xm.is_master_ordinal():
        print("device is of kind", xm.xla_device_hw(device) != "", "world of", xm.xrt_world_size())
    xm.save({"weight": weight.detach(), "epochs": [1, 2]}, "weights.pt")


if __name__ == "__main__":
    xmp.spawn(_mp_fn, args=(FLAGS,), nprocs=1)
