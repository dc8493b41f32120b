import torch
import torch_tpu


def main(index, steps):
    torch.distributed.init_process_group("tpu_dist", init_method="tcp://localhost:29500", rank=index, world_size=torch.accelerator.device_count())
    print(torch.ones(steps, device=torch.device("tpu")).sum())


if __name__ == "__main__":
    torch.tpu.distributed.set_tpu_launch_env(nproc_per_node=torch.accelerator.device_count())
    torch.multiprocessing.spawn(main, args=(3,), nprocs=torch.accelerator.device_count())
