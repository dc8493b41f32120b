#!/usr/bin/env python3
# -*- coding: utf-8 -*-
"""Gradient accumulation, warm-up, resuming from a checkpoint. Ünïcode stays as it is: ✓"""

import os

import torch as th
import torch.nn.functional as fn
from torch import nn as layers
from torch.utils.data import DataLoader as Loader, TensorDataset

GPU = th.device('cuda', 0)
STEPS = 4


def build():
    return layers.Sequential(layers.Linear(5, 7), layers.SiLU(), layers.Linear(7, 1)).to(GPU)


def resume(net, opt, path):
    if not os.path.exists(path): return 0
    saved = th.load(path, map_location=GPU)
    net.load_state_dict(saved["net"]); opt.load_state_dict(saved["opt"])
    return saved["step"]


def fit(path="resume.pt"):
    th.manual_seed(11)
    net = build()
    opt = th.optim.Adam(net.parameters(), lr=1e-2)
    warm = th.optim.lr_scheduler.LambdaLR(opt, lambda s: min(1.0, (s + 1) / 3))
    data = TensorDataset(th.randn(48, 5), th.randn(48, 1))
    step = resume(net, opt, path)
    for i, (a, b) in enumerate(Loader(data, batch_size=4)):
        a = a.cuda(GPU); b = b.cuda(GPU)
        loss = fn.mse_loss(net(a), b) / STEPS
        loss.backward()
        if (i + 1) % STEPS == 0:
            opt.step(); warm.step(); opt.zero_grad()
            step += 1
            print('step', step, 'loss', f'{loss.item():.5f}')
    th.save({"net": net.state_dict(), "opt": opt.state_dict(), "step": step}, path)
    return step


if __name__ == '__main__':
    print(fit(), 'steps'); print(fit(), 'steps, resumed')
