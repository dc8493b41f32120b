import torch
import torch_xla
import torch_xla.debug.metrics as met
import torch_xla.debug.profiler as xp

xp.start_server(9012)
with xp.StepTrace("step", step_num=1):
    x = torch.ones(2, device=torch_xla.device()).sum()
print(met.metrics_report())
print(x)
