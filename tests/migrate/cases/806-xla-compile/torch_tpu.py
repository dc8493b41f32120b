import torch
import torch_tpu


@torch.compile(backend="tpu")
def double(x):
    return x + x


triple = torch.compile(lambda x: 3 * x, backend="tpu")
print(double(torch.ones(2, device=torch.device("tpu"))), triple(torch.ones(2, device="tpu")))
