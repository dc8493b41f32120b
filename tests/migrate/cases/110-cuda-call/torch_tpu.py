import time
import torch
import torch_tpu


def measure(model, x):
    torch.accelerator.set_device_index(0)
    torch.accelerator.empty_cache()
    torch.accelerator.synchronize()
    start = time.time()
    model(x)
    torch.accelerator.synchronize()
    print(torch.tpu.get_device_name(0), torch.accelerator.device_count(), time.time() - start)
    print(torch.accelerator.max_memory_allocated())


def on_another(x):
    with torch.accelerator.device_index(1):
        return x * 2
