import torch
import torch.nn as nn
import torch_xla
import torch_xla.core.xla_model as xm

model = nn.Linear(2, 2).to("xla")
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
xm.save(model.state_dict(), "model.pt")
xm.save({"model": model.state_dict(), "optimizer": optimizer.state_dict(), "epoch": 3}, "checkpoint.pt")
torch.save(model, "whole.pt")
