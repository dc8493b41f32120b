import torch
import torch_xla
from torch import nn
from torch_xla import runtime as xr
from torch_xla.distributed.parallel_loader import MpDeviceLoader


def main(index):
    torch.manual_seed(3)
    device = torch_xla.device()
    model = nn.GRU(5, 7, batch_first=True).to(device)
    head = nn.Linear(7, 1).to(device)
    optimizer = torch.optim.Adam([*model.parameters(), *head.parameters()], lr=0.01)
    batches = [{"x": torch.randn(4, 3, 5), "y": torch.randn(4, 1), "name": f"batch {i}"} for i in range(3)]
    loader = MpDeviceLoader(batches, device, batches_per_execution=1)
    print("batches", len(loader), "of", xr.world_size(), "processes, this is", xr.global_ordinal())
    for batch in loader:
        with torch_xla.step():
            optimizer.zero_grad()
            out, _ = model(batch["x"])
            loss = nn.functional.mse_loss(head(out[:, -1]), batch["y"])
            loss.backward()
            optimizer.step()
        print(batch["name"], f"{loss.item():.4f}")


if __name__ == "__main__":
    torch_xla.launch(main, args=())
