import torch
import torch_tpu

model = torch.nn.Linear(1, 1).to(torch.device("tpu"))
model.optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
(model
                  .optimizer).step()
