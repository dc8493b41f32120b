import time
import torch


def measure(model, x):
    torch.cuda.set_device(0)
    torch.cuda.empty_cache()
    torch.cuda.synchronize()
    start = time.time()
    model(x)
    torch.cuda.synchronize()
    print(torch.cuda.get_device_name(0), torch.cuda.device_count(), time.time() - start)
    print(torch.cuda.max_memory_allocated())


def on_another(x):
    with torch.cuda.device(1):
        return x * 2
