import torch
import torch_xla.core.xla_model as xm

state = xm.get_rng_state()
xm.set_rng_state(state)
