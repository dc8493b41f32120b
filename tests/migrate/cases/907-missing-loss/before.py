import torch
import torch.nn.functional as F
from torch.nn import HuberLoss

criterion = torch.nn.SmoothL1Loss(beta=0.5)
x = torch.rand(4, device="cuda", requires_grad=True)
losses = [criterion, F.smooth_l1_loss, HuberLoss(delta=2.0)]
loss = sum(loss(x, torch.zeros_like(x)) for loss in losses)
loss = loss + F.huber_loss(x, x + 1, reduction="sum", delta=0.5)
loss.backward()
