import torch
import torch_xla


def train(model, args):
    use_cuda = not args.no_cuda
    if torch_xla.device_count() > 0:
        model.to(torch_xla.device())
    if args.fast and args.amp:
        print("fast")
    print("on a GPU:", torch_xla.device_count() > 0)
    return use_cuda
