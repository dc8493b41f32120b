import torch
import torch.nn as nn
import torch_xla

model = nn.Linear(4, 1).to(torch_xla.device())
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
total = torch.zeros(()).to(torch_xla.device())
for step in range(3):
    loss = model(torch.ones(2, 4).to(torch_xla.device())).mean()
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    total += loss.detach()  # in the same program
    torch_xla.sync()
print(total.item())
