import torch
import torch_tpu

with torch.profiler.record_function("step"):
    x = torch.ones(2, device=torch.device("tpu")).sum()
print(x)
