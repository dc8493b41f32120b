import torch

x, y = torch.ones(2), None
if ((x if y is None else y).device.type == "tpu"):
    print("there")
