import torch
import torch_tpu


def run(device: str = "tpu", gpu=0):
    x = torch.ones(2, device='tpu')
    y = x.to("tpu")
    if device == "tpu":
        y = y + 1
    place = "tpu"
    other = "tpu"
    settings = {"cuda": True, "device": "tpu"}  # a key is not a device
    return y, place, other, settings["cuda"]


def options(parser):
    parser.add_argument("--cuda", dest="cuda", action="store_true")  # nor is where an option is kept
