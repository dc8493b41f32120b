import torch
import torch_tpu


def to_device(data, device):
    """A copy of a batch or checkpoint, its tensors on the device."""
    if hasattr(data, "to") and not isinstance(data, torch.nn.Module):
        return data.to(device)
    if isinstance(data, dict):
        return type(data)((key, to_device(value, device)) for key, value in data.items())
    if isinstance(data, tuple) and hasattr(data, "_fields"):
        return type(data)(*(to_device(value, device) for value in data))
    if isinstance(data, (list, tuple)):
        return type(data)(to_device(value, device) for value in data)
    return data


class DeviceLoader:
    """Batches of a loader, on the device."""

    def __init__(self, loader, device):
        self.loader, self.device = loader, device

    def __len__(self):
        return len(self.loader)

    def __iter__(self):
        return (to_device(batch, self.device) for batch in self.loader)


device = torch.device("tpu")
loader = torch.utils.data.DataLoader(torch.arange(8.0), batch_size=2)
for x in DeviceLoader(loader, device):
    print(x.sum())
for x in DeviceLoader(loader, device):
    print(x.sum())
