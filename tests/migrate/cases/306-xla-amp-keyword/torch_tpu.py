import torch
import torch_tpu

device = torch.device("tpu")
with torch.autocast(enabled=True, device_type="tpu", dtype=torch.bfloat16):
    print(torch.ones(1, device=device))
with torch.autocast(dtype=torch.bfloat16, device_type="tpu"):
    print(torch.ones(1, device=device))
