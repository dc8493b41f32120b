import torch
import torch_xla

model = torch.nn.Linear(2, 1).to(torch_xla.device())
slow = torch.optim.SGD(model.parameters(), 0.1)
fast = torch.optim.Adam(model.parameters())


def train(loader):
    for i, x in enumerate(loader):
        model(x.to(torch_xla.device())).mean().backward()
        if i < 3:
            slow.step()
            torch_xla.sync()
            continue  # what is below is not reached
        if i % 5 == 0:
            fast.step()
            for p in model.parameters():
                if p.grad is None:
                    continue
                p.grad.zero_()
        slow.step()
        torch_xla.sync()
        slow.zero_grad()


if __name__ == "__main__":
    train([torch.ones(2)] * 10)
    fast.step()
    torch_xla.sync()
    print("done")
