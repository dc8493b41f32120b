import torch
import torch_tpu


def all_reduce(reduce_type, inputs, scale=1.0):
    """A tensor, reduced over all processes; a list of tensors is reduced in place."""
    names = {"mul": "PRODUCT", "and": "BAND", "or": "BOR"}
    if isinstance(reduce_type, str):
        reduce_type = getattr(torch.distributed.ReduceOp, names.get(reduce_type, reduce_type.upper()))
    tensors = inputs if isinstance(inputs, list) else [inputs.clone()]
    for tensor in tensors:
        if torch.distributed.is_initialized():
            torch.distributed.all_reduce(tensor, op=reduce_type)
        if scale != 1.0:
            tensor.mul_(scale)
    return inputs if isinstance(inputs, list) else tensors[0]


x = torch.ones(2, device=torch.device("tpu"))
y = all_reduce(torch.distributed.ReduceOp.MAX, x)
