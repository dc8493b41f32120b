import torch
import torch_tpu

device = torch.device("tpu")
generator = torch.Generator(device=device)
