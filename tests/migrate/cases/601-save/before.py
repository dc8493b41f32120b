import torch
import torch.nn as nn

model = nn.Linear(2, 2).to("cuda")
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
torch.save(model.state_dict(), "model.pt")
torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict(), "epoch": 3}, "checkpoint.pt")
torch.save(model, "whole.pt")
