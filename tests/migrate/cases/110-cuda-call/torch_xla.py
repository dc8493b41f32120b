import time
import torch
import torch_xla
import torch_xla.core.xla_model as xm
import contextlib


def measure(model, x):
    torch_xla.sync(wait=True)
    start = time.time()
    model(x)
    torch_xla.sync(wait=True)
    print(xm.xla_device_hw(torch_xla.device()), torch_xla.device_count(), time.time() - start)
    print(torch.cuda.max_memory_allocated())


def on_another(x):
    with contextlib.nullcontext():
        return x * 2
