import torch
import torch_tpu

torch.manual_seed(1)
torch.tpu.manual_seed(1)
state = torch.tpu.default_generators[0].get_state()
x = torch.randn(2, device=torch.device("tpu"))
torch.tpu.set_rng_state(state)
