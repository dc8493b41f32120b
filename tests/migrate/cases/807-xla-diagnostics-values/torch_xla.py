import torch
import torch_xla.core.xla_model as xm
import torch_xla.debug.metrics as met

records = []
loss = torch.ones(2, device=xm.xla_device()).sum()
print("metrics:", met.metrics_report(), flush=True)
records.append((loss.item(), met.metric_data("CompileTime")))
print(loss, xm.get_memory_info(xm.xla_device()))
