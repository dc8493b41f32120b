import torch
import torch_xla.core.xla_model as xm

model = torch.nn.Linear(1, 1).to(xm.xla_device())
model.optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
xm.optimizer_step(model
                  .optimizer)
