import torch

device = torch.device("cuda")
generator = torch.Generator(device=device)
