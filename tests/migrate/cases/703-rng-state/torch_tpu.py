import torch
import torch_tpu

state = torch.tpu.default_generators[0].get_state()
torch.tpu.set_rng_state(state)
