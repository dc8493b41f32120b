import torch
import torch.nn as nn
import torch_xla.core.xla_model as xm

torch.manual_seed(0)
device = xm.xla_device()
model = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 2)).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
loss_fn = nn.CrossEntropyLoss()
data = torch.randn(32, 6)
target = (data.sum(1) > 0).long()
for step in range(4):
    x, y = data.to(device), target.to(device)
    optimizer.zero_grad()
    loss = loss_fn(model(x), y)
    loss.backward()
    optimizer.step()
    xm.mark_step()
    print("step", step, "loss", round(loss.item(), 3))
xm.save(model.state_dict(), "model.pt")
