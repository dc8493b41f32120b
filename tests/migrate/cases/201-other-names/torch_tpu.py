import torch
import torch_tpu


def train(model, sgd, data):
    for x in data:
        loss = model(x.to("tpu")).sum()
        loss.backward()
        sgd.step()
        sgd.zero_grad()


class Learner:
    def update(self, x):
        self.opt.zero_grad()
        self.model(x.to("tpu")).sum().backward()
        self.opt.step()
