import torch
import torch_tpu

state = torch.tpu.default_generators[0].get_state()
x = torch.randn(2, device=torch.device("tpu"))
torch.tpu.set_rng_state(new_state=state)
torch.tpu.manual_seed(seed=5)
