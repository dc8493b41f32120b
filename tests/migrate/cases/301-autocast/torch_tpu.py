import torch
import torch_tpu


def forward(model, x, amp):
    with torch.autocast("tpu", dtype=torch.bfloat16):
        a = model(x)
    with torch.autocast("tpu", dtype=torch.bfloat16, enabled=amp):
        b = model(x)
    with torch.autocast(device_type="tpu", dtype=torch.bfloat16):
        c = model(x)
    return a, b, c
