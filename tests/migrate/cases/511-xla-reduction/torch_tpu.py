import torch
import torch_tpu


def all_reduce(kind, data, scale=1.0):
    """A tensor, reduced over all processes; a list of tensors is reduced in place."""
    tensors = data if isinstance(data, list) else [data.clone()]
    for tensor in tensors:
        if torch.distributed.is_initialized():
            op = getattr(torch.distributed.ReduceOp, kind.upper()) if isinstance(kind, str) else kind
            torch.distributed.all_reduce(tensor, op=op)
        if scale != 1.0:
            tensor.mul_(scale)
    return data if isinstance(data, list) else tensors[0]

x = torch.ones(2, device=torch.device("tpu"))
y = all_reduce(torch.distributed.ReduceOp.MAX, x)
