import torch
import torch_xla
import torch_xla.core.xla_model as xm
from torch import nn
from torch.nn import functional as F

torch.manual_seed(7)
torch_xla.manual_seed(7)
dev = xm.xla_device()
net = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Dropout(0.25), nn.Linear(32, 3)).to(dev).train()
opt = torch.optim.RMSprop(net.parameters(), lr=1e-3)
state = xm.get_rng_state()
noise = torch.randn(4, 10, device=dev)
xm.set_rng_state(state)
again = torch.randn(4, 10, device=dev)
print("same noise", bool(torch.equal(noise.cpu(), again.cpu())))
for _ in range(3):
    inputs = torch.randn(6, 10).to(dev)
    loss = F.cross_entropy(net(inputs), torch.tensor([0, 1, 2, 0, 1, 2]).to(dev))
    opt.zero_grad()
    loss.backward()
    xm.optimizer_step(opt, optimizer_args={}, barrier=True)
    print(round(loss.item(), 3))
