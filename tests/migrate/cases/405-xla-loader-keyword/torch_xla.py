import torch
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl

device = xm.xla_device()
loader = torch.utils.data.DataLoader(torch.arange(8.0), batch_size=2)
for x in pl.ParallelLoader(loader, devices=[device]).per_device_loader(device):
    print(x.sum())
