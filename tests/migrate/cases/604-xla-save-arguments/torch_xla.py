import torch
import torch_xla.core.xla_model as xm
import torch_xla.distributed.xla_multiprocessing as xmp


def main(index):
    state = torch.nn.Linear(2, 2).to(xm.xla_device()).state_dict()
    xm.save(state, "all.pt", False)
    xm.save(data=state, file_or_path="first.pt")


if __name__ == "__main__":
    xmp.spawn(main)
