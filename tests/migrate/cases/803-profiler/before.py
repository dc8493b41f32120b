import torch
from torch.profiler import ProfilerActivity, profile


def look(model, x):
    with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]) as prof:
        model(x.cuda())
    print(prof.key_averages().table(sort_by="cuda_time_total", row_limit=10))
