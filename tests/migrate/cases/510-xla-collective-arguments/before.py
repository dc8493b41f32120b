import torch
import torch_xla.core.xla_model as xm
import torch_xla.distributed.xla_multiprocessing as xmp


def main(index):
    x = torch.ones(2, device=xm.xla_device())
    total = xm.mesh_reduce(tag="total", data=x.sum().item(), reduce_fn=sum)
    most = xm.mesh_reduce("most", x.max().item(), reduce_fn=max)
    both = xm.all_reduce(reduce_type="mul", inputs=x)
    half = xm.all_reduce(xm.REDUCE_SUM, x, 0.5, [[0, 1]])
    rows = xm.all_gather(x, 0, None, None, pin_layout=False)
    if total > 1: xm.master_print("total", total)
    xm.master_print("most", most); print(both, half, rows)
    print(index); xm.master_print("end")


if __name__ == "__main__":
    xmp.spawn(main)
