import torch
import torch_xla
import torch_xla.core.xla_model as xm

torch.manual_seed(1)
torch_xla.manual_seed(1)
state = xm.get_rng_state()
x = torch.randn(2, device=xm.xla_device())
xm.set_rng_state(state)
