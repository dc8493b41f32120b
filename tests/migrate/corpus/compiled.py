import time

import torch
import torch.nn as nn
from torch.profiler import ProfilerActivity, profile, record_function

torch.set_float32_matmul_precision("high")
torch.backends.cuda.matmul.allow_tf32 = True
device = "cuda"


@torch.compile
def gelu(x):
    return 0.5 * x * (1 + torch.erf(x / 1.41421))


class MLP(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(8, 16), nn.Linear(16, 8)

    def forward(self, x):
        return self.b(gelu(self.a(x)))


torch.manual_seed(0)
model = torch.compile(MLP().to(device), mode="max-autotune")
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
x = torch.randn(4, 8, device=device)
for _ in range(3):
    with record_function("step"):
        loss = model(x).square().mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
torch.cuda.synchronize()
start = time.time()
with torch.no_grad():
    print(model(x).sum().item())
torch.cuda.synchronize()
print(f"took {time.time() - start:.3f} seconds")
