import torch
import torch.multiprocessing as mp
import torch_tpu


def worker(rank, world_size):
    print(torch.ones(2).to("tpu").sum(), world_size)


def main():
    count = torch.accelerator.device_count()
    if count < 2:
        print("one device")
        return
    assert count >= 2
    mp.spawn(worker, args=(count,), nprocs=count)  # a process each


if __name__ == "__main__":
    if torch.accelerator.device_count() > 1:
        mp.spawn(worker, args=(2,), nprocs=2)
    else:
        worker(0, 1)
    main()
