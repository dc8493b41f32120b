import torch
import torch_xla


def train(model, sgd, data):
    for x in data:
        loss = model(x.to(torch_xla.device())).sum()
        loss.backward()
        sgd.step()
        torch_xla.sync()
        sgd.zero_grad()


class Learner:
    def update(self, x):
        self.opt.zero_grad()
        self.model(x.to(torch_xla.device())).sum().backward()
        self.opt.step()
        torch_xla.sync()
