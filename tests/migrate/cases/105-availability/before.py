import torch


def train(model, args):
    use_cuda = not args.no_cuda and torch.cuda.is_available()
    if torch.cuda.is_available():
        model.cuda()
    if args.fast and torch.cuda.is_available() and args.amp:
        print("fast")
    print("on a GPU:", torch.cuda.is_available())
    return use_cuda
