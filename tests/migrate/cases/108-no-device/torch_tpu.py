import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset
import torch_tpu

device = torch.device("tpu")

x = torch.linspace(-1, 1, 64).unsqueeze(1)
y = x.pow(3) + 0.1 * torch.rand(x.size())
loader = DataLoader(TensorDataset(x, y), batch_size=16)
model = nn.Sequential(nn.Linear(1, 8), nn.ReLU(), nn.Linear(8, 1)).to(device)
criterion = nn.MSELoss()
optimizer = torch.optim.Adam(model.parameters())
for epoch in range(2):
    for inputs, targets in loader:
        inputs, targets = inputs.to(device), targets.to(device)
        loss = criterion(model(inputs), targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
x = x.to(device)
prediction = model(x).detach().cpu().numpy()
