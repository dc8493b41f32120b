import torch
import torch_xla.core.xla_model as xm
import torch_xla.distributed.xla_multiprocessing as xmp


def main(index, steps):
    print(torch.ones(steps, device=xm.xla_device()).sum())


xmp.spawn(lambda index: main(index, 3), nprocs=1)
xmp.spawn(main, args=(3,), nprocs=1)
