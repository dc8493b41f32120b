import torch
import torch.nn as nn

model = nn.Linear(4, 2)
if torch.cuda.device_count() > 1:
    model = nn.DataParallel(model, device_ids=[0, 1])
model = model.cuda()


def split(x, count):
    return nn.parallel.data_parallel(model, x, range(count)) + nn.parallel.data_parallel(model, (x,), [0])
