import argparse

import torch

parser = argparse.ArgumentParser()
parser.add_argument("--device", default="cuda", choices=["cuda", "cpu"], help="where to run: cuda or cpu")
parser.add_argument("--gpu", type=int, default=0)
parser.add_argument("--fp16", action="store_true")
args = parser.parse_args()


def pick(name, gpu):
    if name == "cuda":
        return torch.device("cuda:{}".format(gpu))
    return torch.device(name)


device = pick(args.device, args.gpu)
fallback = torch.device("cuda:%d" % args.gpu if torch.cuda.is_available() else "cpu")
also = torch.device(f"cuda:{args.gpu}")
x = torch.ones(3, device=device)
y = x.new_zeros(3) + torch.full((3,), 2.0).to(fallback)
z = torch.empty(3, device=also).fill_(4.0)
total = (x + y * z).sum()
print(total.item(), total.device.type == "cuda", x.is_cuda)
values = torch.arange(6.0).reshape(2, 3).to(device=args.device)
print(values.cpu().numpy().tolist())
if device.type == "cuda":
    print("on the accelerator")
