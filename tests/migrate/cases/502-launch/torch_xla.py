import torch
import torch_xla
import torch_xla.runtime as xr


def main(rank, world_size, epochs):
    world_size = xr.world_size()
    print(rank, world_size, epochs)


if __name__ == "__main__":
    world_size = 1
    torch_xla.launch(main, args=(world_size, 3))
