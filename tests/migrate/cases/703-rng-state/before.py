import torch

state = torch.cuda.get_rng_state()
torch.cuda.set_rng_state(state)
