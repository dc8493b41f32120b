import torch
import torch_tpu


def to_device(data, device):
    """A copy of a batch or checkpoint, its tensors on the device."""
    if hasattr(data, "to") and not isinstance(data, torch.nn.Module):
        return data.to(device)
    if isinstance(data, dict):
        return type(data)((key, to_device(value, device)) for key, value in data.items())
    if isinstance(data, tuple) and hasattr(data, "_fields"):
        return type(data)(*(to_device(value, device) for value in data))
    if isinstance(data, (list, tuple)):
        return type(data)(to_device(value, device) for value in data)
    return data


def main(index):
    torch.distributed.init_process_group("tpu_dist", init_method="tcp://localhost:29500", rank=index, world_size=torch.accelerator.device_count())
    state = torch.nn.Linear(2, 2).to(torch.device("tpu")).state_dict()
    torch.save(to_device(state, "cpu"), "all.pt")
    if torch.distributed.get_rank() == 0:
        torch.save(obj=to_device(state, "cpu"), f="first.pt")


if __name__ == "__main__":
    torch.tpu.distributed.set_tpu_launch_env(nproc_per_node=torch.accelerator.device_count())
    torch.multiprocessing.spawn(main, nprocs=torch.accelerator.device_count())
