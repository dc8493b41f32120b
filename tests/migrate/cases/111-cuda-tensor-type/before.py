import torch

cuda = True if torch.cuda.is_available() else False
Tensor = torch.cuda.FloatTensor if cuda else torch.FloatTensor


def labels(images):
    valid = Tensor(images.size(0), 1).fill_(1.0)
    return valid, images.type(Tensor), torch.cuda.LongTensor([1, 2])


def kind(x):
    if isinstance(x, torch.cuda.HalfTensor) or x.type() == "torch.cuda.LongTensor":
        return "short"
    return isinstance(x.data, torch.cuda.FloatTensor)
