"""Training on the lazy device: an ordinary loop, one program a step.

python examples/lazy.py
"""

import tenfold
import torch
from torch import nn

torch.manual_seed(0)
x, y = torch.randn(512, 16), torch.randint(0, 4, (512,))
data = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(x, y), batch_size=64)

model = nn.Sequential(nn.Linear(16, 64), nn.GELU(), nn.LayerNorm(64), nn.Linear(64, 4)).to("tenfold")
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.95)

for epoch in range(4):
    total = torch.zeros((), device="tenfold")
    for inputs, labels in data:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(inputs.to("tenfold")), labels.to("tenfold"))
        loss.backward()
        optimizer.step()  # a step ends a program: it is run here, and known from the second time on
        total += loss.detach()
    scheduler.step()
    print(f"epoch {epoch}: loss {total.item() / len(data):.4f}")

stats = tenfold.stats()
print(f"{stats['runs']} runs, {stats['compilations']} compilations, fallbacks: {stats['fallbacks'] or 'none'}")

pending = (torch.ones(2, 3, device="tenfold") * 2).sum()
print(tenfold.get_mlir(pending, stage="aten"))  # what is recorded; nothing was run for it
