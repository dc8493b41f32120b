"""Values of a run as they are written down and compared."""

from __future__ import annotations

from typing import Any

ELEMENTS_KEPT = 20_000  # of each tensor


def digest(value: Any, depth: int = 0) -> Any:
    """A comparable, picklable picture of a value; where it lives is left out."""
    import torch

    if isinstance(value, torch.Tensor):
        with torch.no_grad():
            flat = value.detach().cpu()
            if flat.layout != torch.strided:
                flat = flat.to_dense()
            shape, dtype = tuple(flat.shape), str(flat.dtype).removeprefix("torch.")
            flat = flat.reshape(-1)[:ELEMENTS_KEPT]
            numbers = flat.to(torch.float64) if flat.dtype.is_floating_point or flat.dtype == torch.bfloat16 else flat
            return ("tensor", dtype, shape, numbers.numpy().copy())
    if value is None or isinstance(value, (bool, int, float, str, bytes)):
        return value
    if isinstance(value, (torch.device, torch.dtype, torch.Size)):
        return "device" if isinstance(value, torch.device) else str(value)
    if depth > 3:  # a checkpoint of xm.save has lists for tuples
        return "<list>" if isinstance(value, (list, tuple)) else f"<{type(value).__name__}>"
    if isinstance(value, (list, tuple)):
        return ("list", [digest(v, depth + 1) for v in value[:50]], len(value))
    if isinstance(value, dict):
        return ("dict", {str(k): digest(v, depth + 1) for k, v in list(value.items())[:200]})
    if isinstance(value, torch.nn.Module):
        return ("module", {k: digest(v, depth + 1) for k, v in value.state_dict().items()})
    if type(value).__module__ == "numpy":
        return ("array", value.tolist() if getattr(value, "size", 0) < ELEMENTS_KEPT else str(value))
    return f"<{type(value).__name__}>"
