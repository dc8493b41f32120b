import torch
import torch.nn as nn


class Layer(nn.Linear):
    def __init__(self, size):
        super().__init__(size, size)
        self.opt = torch.optim.Adam(self.parameters())


layers = [Layer(4).cuda(), Layer(4).cuda()]
