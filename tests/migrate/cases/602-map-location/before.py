import torch

device = torch.device("cuda")
state = torch.load("model.pt", map_location=device)
other = torch.load("model.pt", map_location="cuda:0")
host = torch.load("model.pt", map_location="cpu")
