import argparse

import torch
import torch_tpu

parser = argparse.ArgumentParser()
parser.add_argument("--no-cuda", action="store_true")
args = parser.parse_args()

device = torch.device("tpu")  # the usual line
name = "tpu"
first = torch.device('tpu')
chosen = torch.device("tpu" if not args.no_cuda and torch.accelerator.is_available() else "cpu")
both = torch.device("tpu")
turned = "tpu"
asked = torch.device(args.device if torch.accelerator.is_available() else "cpu")
numbered = torch.device("tpu")


def limited(count):
    count = min(count, torch.accelerator.device_count())
    return torch.device("tpu" if count > 0 else "cpu")
