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


def all_gather(value, dim=0):
    """The tensors of all processes, one after the other along a dimension."""
    if not torch.distributed.is_initialized():
        return value
    parts = [torch.empty_like(value) for _ in range(torch.distributed.get_world_size())]
    torch.distributed.all_gather(parts, value.contiguous())
    return torch.cat(parts, dim)


def mesh_reduce(data, reduce_fn):
    """What `reduce_fn` makes of the values of all processes."""
    values = [data]
    if torch.distributed.is_initialized():
        values = [None] * torch.distributed.get_world_size()
        torch.distributed.all_gather_object(values, data)
    return reduce_fn(values)


def main(index):
    torch.distributed.init_process_group("tpu_dist", init_method="tcp://localhost:29500", rank=index, world_size=torch.accelerator.device_count())
    x = torch.ones(2, device=torch.device("tpu"))
    total = mesh_reduce(data=x.sum().item(), reduce_fn=sum)
    most = mesh_reduce(x.max().item(), reduce_fn=max)
    both = all_reduce(reduce_type="mul", inputs=x)
    half = all_reduce(torch.distributed.ReduceOp.SUM, x, 0.5)
    rows = all_gather(x, 0)
    if total > 1: torch.distributed.get_rank() == 0 and print("total", total)
    torch.distributed.get_rank() == 0 and print("most", most); print(both, half, rows)
    print(index); torch.distributed.get_rank() == 0 and print("end")


if __name__ == "__main__":
    torch.tpu.distributed.set_tpu_launch_env(nproc_per_node=torch.accelerator.device_count())
    torch.multiprocessing.spawn(main, nprocs=torch.accelerator.device_count())
