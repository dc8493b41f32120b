import time
import torch
import torch_tpu


def measure(model, x):
    torch.tpu.set_device(0)
    torch.tpu.empty_cache()
    torch.tpu.synchronize()
    start = time.time()
    model(x)
    torch.tpu.synchronize()
    print(torch.tpu.get_device_name(0), torch.tpu.device_count(), time.time() - start)
    print(torch.tpu.max_memory_allocated())


def on_another(x):
    with torch.tpu.device(1):
        return x * 2
