import torch
import torch_xla.core.xla_model as xm

model = torch.nn.Linear(2, 2).to(xm.xla_device())
xm.save({"model": model.state_dict(), "epoch": 1}, "model.pt", master_only=True)
