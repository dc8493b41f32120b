import torch
import torch_tpu

device = torch.device("tpu")
model = torch.nn.Linear(2, 2).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
with torch.autocast("tpu", dtype=torch.bfloat16):
    loss = model(torch.ones(1, 2, device=device)).sum()
