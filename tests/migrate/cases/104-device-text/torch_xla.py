import torch
import torch_xla


def run(device: str = "xla", gpu=0):
    x = torch.ones(2, device='xla')
    y = x.to("xla")
    if device == "xla":
        y = y + 1
    place = "xla"
    other = "xla"
    settings = {"cuda": True, "device": "xla"}  # a key is not a device
    return y, place, other, settings["cuda"]


def options(parser):
    parser.add_argument("--cuda", dest="cuda", action="store_true")  # nor is where an option is kept
