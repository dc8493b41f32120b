import torch
import torch_tpu

device = torch.device("tpu")
features = torch.eye(4).to_sparse().to(device)
adjacency = torch.eye(4).to_sparse().to(device)
kept = torch.eye(4).to_sparse()
