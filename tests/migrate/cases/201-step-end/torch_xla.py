import torch
import torch.nn as nn
import torch_xla

device = torch_xla.device()


def train(model, loader, optimizer, accumulate=4):
    for i, (x, y) in enumerate(loader):
        loss = nn.functional.mse_loss(model(x.to(device)), y.to(device)) / accumulate
        loss.backward()
        if (i + 1) % accumulate == 0:
            optimizer.step()
            optimizer.zero_grad()
        torch_xla.sync()


def gan(netG, netD, optG, optD, loader):
    optG = torch.optim.Adam(netG.parameters())
    optD = torch.optim.Adam(netD.parameters())
    for x in loader:
        optD.zero_grad()
        netD(x.to(device)).mean().backward()
        optD.step()
        optG.zero_grad()
        netD(netG(x.to(device))).mean().backward()
        optG.step()  # one program for both
        torch_xla.sync()
