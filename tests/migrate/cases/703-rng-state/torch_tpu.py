import torch

state = torch.tpu.get_rng_state()
torch.tpu.set_rng_state(state)
