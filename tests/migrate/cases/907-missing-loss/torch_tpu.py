import torch
import torch.nn.functional as F
from torch.nn import HuberLoss
import torch_tpu


def smooth_l1_loss(input, target, reduction="mean", beta=1.0):
    """torch.nn.functional.smooth_l1_loss, which TorchTPU 0.2 does not have."""
    if beta == 0:
        return torch.nn.functional.l1_loss(input, target, reduction=reduction)
    error = (input - target).abs()
    loss = torch.where(error < beta, 0.5 * error**2 / beta, error - 0.5 * beta)
    return loss if reduction == "none" else getattr(loss, reduction)()


class SmoothL1Loss(torch.nn.SmoothL1Loss):
    """torch.nn.SmoothL1Loss of the function above."""

    def forward(self, input, target):
        return smooth_l1_loss(input, target, self.reduction, self.beta)


def huber_loss(input, target, reduction="mean", delta=1.0):
    """torch.nn.functional.huber_loss, which TorchTPU 0.2 does not have."""
    error = (input - target).abs()
    loss = torch.where(error < delta, 0.5 * error**2, delta * (error - 0.5 * delta))
    return loss if reduction == "none" else getattr(loss, reduction)()


class HuberLoss(torch.nn.HuberLoss):
    """torch.nn.HuberLoss of the function above."""

    def forward(self, input, target):
        return huber_loss(input, target, self.reduction, self.delta)


criterion = SmoothL1Loss(beta=0.5)
x = torch.rand(4, device="tpu", requires_grad=True)
losses = [criterion, smooth_l1_loss, HuberLoss(delta=2.0)]
loss = sum(loss(x, torch.zeros_like(x)) for loss in losses)
loss = loss + huber_loss(x, x + 1, reduction="sum", delta=0.5)
loss.backward()
