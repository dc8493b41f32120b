import torch
import torch_tpu

device = torch.device("tpu")
x = torch.ones(2, device="tpu") + torch.ones(2).to(torch.device("tpu"))
if "TPU" == "TPU" and (x.device.type == "tpu"):
    print(x.device.type == "tpu", torch.accelerator.device_count())
