import torch
import torch_xla
import torch_xla.runtime as xr


def worker(rank, world_size):
    world_size = xr.world_size()
    print(torch.ones(2).to(torch_xla.device()).sum(), world_size)


def main():
    count = 1
    if False:
        print("one device")
        return
    torch_xla.launch(worker, args=(count,))  # a process each


if __name__ == "__main__":
    if True:
        torch_xla.launch(worker, args=(2,))
    else:
        worker(0, 1)
    main()
