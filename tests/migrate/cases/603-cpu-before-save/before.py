import torch
import torch.nn as nn

device = torch.device("cuda")
model = nn.Linear(2, 2).to(device)
model.eval().cpu()
torch.save(model.state_dict(), "model.pt")
model.to(device).train()
