import torch
import torch_xla


@torch_xla.compile
def double(x):
    return x + x


triple = torch_xla.compile(lambda x: 3 * x, full_graph=True)
print(double(torch.ones(2, device=torch_xla.device())), triple(torch.ones(2, device="xla")))
