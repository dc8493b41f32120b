import torch
import torch.nn as nn

model = nn.Linear(4, 1).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
total = torch.zeros(()).cuda()
for step in range(3):
    loss = model(torch.ones(2, 4).cuda()).mean()
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    total += loss.detach()  # in the same program
print(total.item())
