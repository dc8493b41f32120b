import argparse

import torch

parser = argparse.ArgumentParser()
parser.add_argument("--no-cuda", action="store_true")
args = parser.parse_args()

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")  # the usual line
name = "cuda" if torch.cuda.is_available() else "cpu"
first = torch.device('cuda:0')
chosen = torch.device("cuda" if not args.no_cuda and torch.cuda.is_available() else "cpu")
both = torch.device("cuda") if torch.cuda.is_available() else torch.device("cpu")
turned = "cpu" if not torch.cuda.is_available() else "cuda"
asked = torch.device(args.device if torch.cuda.is_available() else "cpu")
numbered = torch.device(args.gpu if torch.cuda.is_available() else "cpu")


def limited(count):
    count = min(count, torch.cuda.device_count())
    return torch.device("cuda" if count > 0 else "cpu")
