import torch
import torch.nn as nn

model = nn.Linear(4, 2).cuda()
x = torch.randn(3, 4).cuda(non_blocking=True)
y = torch.randn(3, 4).cuda(0)
print(f"{y.cuda().sum()} and '{y.cuda()}'", f'{y.cuda()}')


def move(batch, device):
    return [t.cuda() for t in batch]
