import torch


def run(device: str = "cuda", gpu=0):
    x = torch.ones(2, device='cuda:0')
    y = x.to("cuda")
    if device == "cuda":
        y = y + 1
    place = f"cuda:{gpu}"
    other = "cuda:%d" % gpu
    settings = {"cuda": True, "device": "cuda"}  # a key is not a device
    return y, place, other, settings["cuda"]


def options(parser):
    parser.add_argument("--cuda", dest="cuda", action="store_true")  # nor is where an option is kept
