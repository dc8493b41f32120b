import torch
import torch_tpu

records = []
loss = torch.ones(2, device=torch.device("tpu")).sum()
records.append((loss.item(), None))
print(loss, None)
