import torch
import torch_xla


def forward(model, x, amp):
    with torch.autocast("xla", dtype=torch.bfloat16):
        a = model(x)
    with torch.autocast("xla", dtype=torch.bfloat16, enabled=amp):
        b = model(x)
    with torch.autocast(device_type="xla", dtype=torch.bfloat16):
        c = model(x)
    return a, b, c
