import torch
import torch_tpu


def train(model, args):
    use_cuda = not args.no_cuda and torch.accelerator.is_available()
    if torch.accelerator.is_available():
        model.to("tpu")
    if args.fast and torch.accelerator.is_available() and args.amp:
        print("fast")
    print("on a GPU:", torch.accelerator.is_available())
    return use_cuda
