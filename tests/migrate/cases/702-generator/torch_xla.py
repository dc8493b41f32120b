import torch
import torch_xla

device = torch_xla.device()
generator = torch.Generator(device="cpu")
