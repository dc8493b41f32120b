import torch
import torch_tpu

device = torch.device("tpu")
state = torch.load("model.pt", map_location=device)
other = torch.load("model.pt", map_location="tpu")
host = torch.load("model.pt", map_location="cpu")
there = torch.load("model.pt", map_location=torch.device("cpu"))
asked = torch.load("model.pt", map_location=where())
through = load_state("model.pt", map_location=device, strict=False)
given = load_state("model.pt", map_location=lambda storage, place: storage)
state = torch.load("model.pt", map_location="tpu")
state = torch.load("model.pt", map_location=lambda storage, loc: storage)
