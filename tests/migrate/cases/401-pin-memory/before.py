import torch
from torch.utils.data import DataLoader

dataset = torch.utils.data.TensorDataset(torch.zeros(8, 2))
loader = DataLoader(dataset, batch_size=4, pin_memory=True, drop_last=True)
options = {"num_workers": 0, "pin_memory": True}
other = DataLoader(
    dataset,
    pin_memory=True,
    batch_size=4,  # small
    drop_last=True,
)
x = torch.zeros(2).pin_memory().to("cuda", non_blocking=True)
