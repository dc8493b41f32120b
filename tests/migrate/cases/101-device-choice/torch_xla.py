import argparse

import torch
import torch_xla

parser = argparse.ArgumentParser()
parser.add_argument("--no-cuda", action="store_true")
args = parser.parse_args()

device = torch_xla.device()  # the usual line
name = "xla"
first = torch_xla.device()
chosen = torch_xla.device() if not args.no_cuda else torch.device("cpu")
both = torch_xla.device()
turned = "xla"
asked = torch.device(args.device if torch_xla.device_count() > 0 else "cpu")
numbered = torch_xla.device()


def limited(count):
    count = min(count, torch_xla.device_count())
    return torch_xla.device() if count > 0 else torch.device("cpu")
