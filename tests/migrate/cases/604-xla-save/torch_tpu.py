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


model = torch.nn.Linear(2, 2).to(torch.device("tpu"))
torch.save(to_device({"model": model.state_dict(), "epoch": 1}, "cpu"), "model.pt")
