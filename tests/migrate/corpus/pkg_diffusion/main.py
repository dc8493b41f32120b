import copy

import torch
import torch.nn.functional as F
from unet import Denoiser

device = "cuda:0" if torch.cuda.is_available() else "cpu"
T = 20
betas = torch.linspace(1e-4, 0.02, T)
alphas_cumprod = torch.cumprod(1.0 - betas, dim=0)


def get_index_from_list(vals, t, x_shape):
    batch_size = t.shape[0]
    out = vals.gather(-1, t.cpu())
    return out.reshape(batch_size, *((1,) * (len(x_shape) - 1))).to(t.device)


def forward_diffusion_sample(x_0, t, device="cpu"):
    noise = torch.randn_like(x_0)
    a = get_index_from_list(alphas_cumprod.sqrt(), t, x_0.shape)
    b = get_index_from_list((1 - alphas_cumprod).sqrt(), t, x_0.shape)
    return a.to(device) * x_0.to(device) + b.to(device) * noise.to(device), noise.to(device)


def ema_update(ema, model, decay=0.9):
    with torch.no_grad():
        for e, p in zip(ema.parameters(), model.parameters()):
            e.mul_(decay).add_(p, alpha=1 - decay)


if __name__ == "__main__":
    torch.manual_seed(0)
    if torch.cuda.is_available():
        torch.cuda.manual_seed(0)
    model = Denoiser().to(device)
    ema = copy.deepcopy(model)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for step in range(5):
        x = torch.randn(16, 2, device=device)
        t = torch.randint(0, T, (16,), device=device).long()
        x_noisy, noise = forward_diffusion_sample(x, t, device)
        loss = F.l1_loss(noise, model(x_noisy, t))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        ema_update(ema, model)
        print(f"Step {step:03d} Loss: {loss.item():.4f}")
