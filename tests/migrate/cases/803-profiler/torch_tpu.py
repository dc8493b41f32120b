import torch
from torch.profiler import ProfilerActivity, profile
import torch_tpu


def look(model, x):
    with profile(activities=[ProfilerActivity.CPU]) as prof:
        model(x.to("tpu"))
    print(prof.key_averages().table(sort_by="cpu_time_total", row_limit=10))
