import torch
import torch_xla
import torch_xla.core.xla_model as xm


def main(index, steps):
    print(torch.ones(steps, device=xm.xla_device()).sum())


if __name__ == "__main__":
    torch_xla.launch(main, args=(3,))
