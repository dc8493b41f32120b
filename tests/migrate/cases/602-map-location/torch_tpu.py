import torch
import torch_tpu

device = torch.device("tpu")
state = torch.load("model.pt", map_location=device)
other = torch.load("model.pt", map_location="tpu")
host = torch.load("model.pt", map_location="cpu")
