import torch
import torch.nn as nn
import torch_tpu

model = nn.Linear(4, 1).to("tpu")
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
total = torch.zeros(()).to("tpu")
for step in range(3):
    loss = model(torch.ones(2, 4).to("tpu")).mean()
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    total += loss.detach()  # in the same program
print(total.item())
