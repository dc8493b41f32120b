import torch
import torch.multiprocessing as mp


def worker(rank, world_size):
    print(torch.ones(2).cuda(rank).sum(), world_size)


def main():
    count = torch.cuda.device_count()
    if count < 2:
        print("one device")
        return
    assert count >= 2
    mp.spawn(worker, args=(count,), nprocs=count)  # a process each


if __name__ == "__main__":
    if torch.cuda.device_count() > 1:
        mp.spawn(worker, args=(2,), nprocs=2)
    else:
        worker(0, 1)
    main()
