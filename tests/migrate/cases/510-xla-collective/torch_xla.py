import torch
import torch_xla.core.xla_model as xm
import torch_xla.distributed.xla_multiprocessing as xmp
import torch_xla.runtime as xr


def main(index):
    x = torch.ones(2, device=xm.xla_device()) * xr.global_ordinal()
    total = xm.mesh_reduce("total", x.sum().item(), sum)
    xm.master_print("total", total, "of", xm.xrt_world_size())
    xm.rendezvous("end")


if __name__ == "__main__":
    xmp.spawn(main)
