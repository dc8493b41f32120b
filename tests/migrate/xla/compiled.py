import torch
import torch_xla
import torch_xla.debug.metrics as met
import torch_xla.debug.profiler as xp
from torch import nn

xp.start_server(9012)
torch.manual_seed(5)
device = "xla"
net = nn.Sequential(nn.Linear(4, 4), nn.Tanh(), nn.Linear(4, 2)).to(device).eval()


@torch_xla.compile
def forward(x):
    return net(x).softmax(-1)


fast = torch.compile(net, backend="openxla")
with torch.no_grad():
    for i in range(2):
        x = torch.arange(12.0).reshape(3, 4).to(device) * (i + 1)
        with xp.StepTrace("step", step_num=i):
            p = forward(x)
            q = fast(x)
        torch_xla.sync(wait=True)
        print(p.cpu().numpy().round(4).tolist(), q.sum().item())
met.clear_all()
