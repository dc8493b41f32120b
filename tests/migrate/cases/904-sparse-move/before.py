import torch

device = torch.device("cuda")
features = torch.eye(4).to_sparse().to(device)
adjacency = torch.eye(4).to_sparse().cuda()
kept = torch.eye(4).to_sparse()
