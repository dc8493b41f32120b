import torch
import torch_xla.core.xla_model as xm

device = xm.xla_device()
model = torch.nn.Linear(8, 1).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(10):
    x = torch.ones(4, 8).to(device)
    loss = model(x).mean()
    optimizer.zero_grad()
    loss.backward()
    xm.optimizer_step(optimizer, barrier=True)
    xm.mark_step()
xm.master_print("loss", loss.item())
