import torch
import torch_tpu

if torch.accelerator.current_device_index() == 0:
    print("first")
names = ["a", "b"]
index = torch.accelerator.current_device_index()
print(names[index], torch.accelerator.current_device_index())
x = torch.ones(2).to("tpu")
where = torch.accelerator.current_device_index()
y = torch.ones(2, device=torch.device("tpu"))
