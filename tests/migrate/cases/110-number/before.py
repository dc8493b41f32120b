import torch

if torch.cuda.current_device() == 0:
    print("first")
names = ["a", "b"]
index = torch.cuda.current_device()
print(names[index], torch.cuda.current_device())
x = torch.ones(2).cuda(index)
where = torch.cuda.current_device()
y = torch.ones(2, device=where)
