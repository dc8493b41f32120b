import torch

torch.manual_seed(0)
torch.cuda.manual_seed(0)
torch.cuda.manual_seed_all(0)
if torch.cuda.is_available():
    torch.backends.cudnn.benchmark = True
x = torch.ones(3)
x = x.pin_memory()
x = x.cuda()


def seed(value):
    torch.manual_seed(value)
    if torch.cuda.is_available():
        torch.cuda.manual_seed(value)
        torch.backends.cudnn.deterministic = True
