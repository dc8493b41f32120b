import torch
import torch_xla

device = torch_xla.device()
state = torch.load("model.pt", map_location="cpu")
other = torch.load("model.pt", map_location="cpu")
host = torch.load("model.pt", map_location="cpu")
there = torch.load("model.pt", map_location=torch.device("cpu"))
asked = torch.load("model.pt", map_location="cpu")
through = load_state("model.pt", map_location="cpu", strict=False)
given = load_state("model.pt", map_location=lambda storage, place: storage)
state = torch.load("model.pt", map_location="cpu")
state = torch.load("model.pt", map_location=lambda storage, loc: storage)
