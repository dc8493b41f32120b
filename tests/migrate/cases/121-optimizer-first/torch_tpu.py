import torch
import torch.nn as nn
import torch_tpu
torch.__future__.set_swap_module_params_on_conversion(True)

model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
model.to("tpu")
