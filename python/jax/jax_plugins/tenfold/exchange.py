"""DLPack for arrays on Tenfold. Their memory is the host's, so other libraries may read it where it is; jaxlib refuses
every device that is not one of its own (`Device ... cannot be used as a DLPack device`, in
buffer_to_dlpack_managed_tensor), and JAX's Python knows the platforms cpu, cuda and rocm only."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["register"]


def register(platform: str) -> None:
    """Lets JAX's own functions export and import arrays of `platform` as memory of the CPU."""
    from jax._src import api, array, config, dlpack, xla_bridge

    cpu_type = dlpack.DLDeviceType.kDLCPU
    their_export, their_device = dlpack.to_dlpack, array.ArrayImpl.__dlpack_device__

    def cpu() -> Any:
        try:
            return xla_bridge.local_devices(backend="cpu")[0]
        except RuntimeError:
            return None

    def is_ours(x: Any) -> bool:
        return isinstance(x, array.ArrayImpl) and x.platform() == platform

    def to_dlpack(x: Any, stream: Any = None, *args: Any, **options: Any) -> Any:
        if not is_ours(x):
            return their_export(x, stream, *args, **options)
        view = np.asarray(x)  # where the array's memory is; it stays until nobody reads it
        home, version = cpu(), options.get("max_version")
        # NumPy exports memory that is not to be written where the reader can be told so; JAX's CPU takes what is
        # aligned as it lies, copies the rest, and knows more element types.
        if home is None or (version is not None and version >= (1, 0) and view.dtype.isbuiltin == 1):
            known = {key: options[key] for key in ("max_version", "dl_device", "copy") if options.get(key) is not None}
            return view.__dlpack__(stream=stream, **known)
        options.pop("src_device", None)
        return their_export(api.device_put(view, home), stream, *args[1:], **options)

    def device(self: Any) -> tuple:
        return (cpu_type, 0) if len(self._arrays) == 1 and is_ours(self) else their_device(self)

    dlpack.to_dlpack = to_dlpack
    platforms = config.jax_platforms.value
    if platforms and "cpu" not in platforms.split(","):  # what comes from outside has no other place to go
        dlpack._DL_DEVICE_TO_PLATFORM[cpu_type] = platform
    array.ArrayImpl.__dlpack_device__ = device
