import torch

model = torch.nn.Linear(2, 1).cuda()
slow = torch.optim.SGD(model.parameters(), 0.1)
fast = torch.optim.Adam(model.parameters())


def train(loader):
    for i, x in enumerate(loader):
        model(x.cuda()).mean().backward()
        if i < 3:
            slow.step()
            continue  # what is below is not reached
        if i % 5 == 0:
            fast.step()
            for p in model.parameters():
                if p.grad is None:
                    continue
                p.grad.zero_()
        slow.step()
        slow.zero_grad()


if __name__ == "__main__":
    train([torch.ones(2)] * 10)
    fast.step()
    print("done")
