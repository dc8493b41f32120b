import torch


def train(model, sgd, data):
    for x in data:
        loss = model(x.cuda()).sum()
        loss.backward()
        sgd.step()
        sgd.zero_grad()


class Learner:
    def update(self, x):
        self.opt.zero_grad()
        self.model(x.cuda()).sum().backward()
        self.opt.step()
