import torch as th, torch_xla as txla
import torch_xla.core.xla_model as model_api
import torch.nn as nn


def networks(dev):
    th.manual_seed(2)
    g = nn.Sequential(nn.Linear(3, 8), nn.LeakyReLU(0.2), nn.Linear(8, 2))
    d = nn.Sequential(nn.Linear(2, 8), nn.LeakyReLU(0.2), nn.Linear(8, 1))
    return g.to(dev), d.to(dev)


def main():
    dev = txla.device()
    g, d = networks(dev)
    og, od = th.optim.Adam(g.parameters(), 1e-3), th.optim.Adam(d.parameters(), 1e-3)
    bce = nn.BCEWithLogitsLoss()
    for it in range(3):
        real = th.randn(8, 2).to(dev)
        z = th.randn(8, 3).to(dev)
        fake = g(z)
        od.zero_grad()
        ld = bce(d(real), th.ones(8, 1, device=dev)) + bce(d(fake.detach()), th.zeros(8, 1, device="xla"))
        ld.backward()
        model_api.optimizer_step(od, barrier=False)
        og.zero_grad()
        lg = bce(d(fake), th.ones(8, 1, device=dev))
        lg.backward()
        model_api.optimizer_step(og, barrier=True)
        model_api.add_step_closure(print, args=("it", it, f"{ld.item():.4f}", f"{lg.item():.4f}"))
    txla.sync()


if __name__ == "__main__":
    main()
