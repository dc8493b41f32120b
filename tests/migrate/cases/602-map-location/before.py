import torch

device = torch.device("cuda")
state = torch.load("model.pt", map_location=device)
other = torch.load("model.pt", map_location="cuda:0")
host = torch.load("model.pt", map_location="cpu")
there = torch.load("model.pt", map_location=torch.device("cpu"))
asked = torch.load("model.pt", map_location=where())
through = load_state("model.pt", map_location=device, strict=False)
given = load_state("model.pt", map_location=lambda storage, place: storage)
state = torch.load("model.pt", map_location=lambda storage, loc: storage.cuda(0))
state = torch.load("model.pt", map_location=lambda storage, loc: storage)
