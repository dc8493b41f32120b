import torch
from torch.utils.data import DataLoader
import torch_tpu

dataset = torch.utils.data.TensorDataset(torch.zeros(8, 2))
loader = DataLoader(dataset, batch_size=4, drop_last=True)
options = {"num_workers": 0, "pin_memory": False}
other = DataLoader(
    dataset,
    batch_size=4,  # small
    drop_last=True,
)
x = torch.zeros(2).to("tpu", non_blocking=True)
