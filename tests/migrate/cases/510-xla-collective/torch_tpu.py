import torch
import torch_tpu


def mesh_reduce(data, reduce_fn):
    """What `reduce_fn` makes of the values of all processes."""
    values = [data]
    if torch.distributed.is_initialized():
        values = [None] * torch.distributed.get_world_size()
        torch.distributed.all_gather_object(values, data)
    return reduce_fn(values)


def main(index):
    torch.distributed.init_process_group("tpu_dist", init_method="tcp://localhost:29500", rank=index, world_size=torch.accelerator.device_count())
    x = torch.ones(2, device=torch.device("tpu")) * torch.distributed.get_rank()
    total = mesh_reduce(x.sum().item(), sum)
    if torch.distributed.get_rank() == 0:
        print("total", total, "of", torch.distributed.get_world_size())
    torch.distributed.barrier()


if __name__ == "__main__":
    torch.tpu.distributed.set_tpu_launch_env(nproc_per_node=torch.accelerator.device_count())
    torch.multiprocessing.spawn(main, nprocs=torch.accelerator.device_count())
