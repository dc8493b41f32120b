import torch
import torch_xla

device = torch_xla.device()
features = torch.eye(4).to_sparse().to_dense().to(device)
adjacency = torch.eye(4).to_sparse().to_dense().to(device)
kept = torch.eye(4).to_sparse()
