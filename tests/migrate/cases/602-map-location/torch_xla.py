import torch
import torch_xla

device = torch_xla.device()
state = torch.load("model.pt", map_location="cpu")
other = torch.load("model.pt", map_location="cpu")
host = torch.load("model.pt", map_location="cpu")
