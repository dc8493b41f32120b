import torch
import torch.nn as nn
import torch_tpu

device = torch.device("tpu")
model = nn.Linear(2, 2).to(device)
model.eval().cpu()
torch.save(model.state_dict(), "model.pt")
model.to(device).train()
