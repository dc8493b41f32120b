import torch
from torch.cuda.amp import autocast


def forward(model, x, amp):
    with autocast():
        a = model(x)
    with torch.cuda.amp.autocast(enabled=amp):
        b = model(x)
    with torch.autocast(device_type="cuda", dtype=torch.float16):
        c = model(x)
    return a, b, c
