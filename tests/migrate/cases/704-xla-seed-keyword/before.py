import torch
import torch_xla.core.xla_model as xm

state = xm.get_rng_state()
x = torch.randn(2, device=xm.xla_device())
xm.set_rng_state(seed=state)
xm.set_rng_state(seed=5)
