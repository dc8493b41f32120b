import torch
import torch.nn as nn
import torch_xla
import torch_xla.core.xla_model as xm

device = torch_xla.device()
model = nn.Linear(2, 2).to(device)
model.eval()
xm.save(model.state_dict(), "model.pt")
model.to(device).train()
