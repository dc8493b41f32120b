import torch
import torch.multiprocessing as mp
import torch_tpu


def main(rank, world_size, epochs):
    print(rank, world_size, epochs)


if __name__ == "__main__":
    world_size = torch.accelerator.device_count()
    mp.spawn(main, args=(world_size, 3), nprocs=world_size, join=True)
