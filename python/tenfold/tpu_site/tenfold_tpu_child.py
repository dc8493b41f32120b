"""What makes torch_tpu and JAX find the simulated TPU in this process. Only the standard library is imported here: it
runs before the program, and most programs want neither.

torch_tpu looks for a Google device on the PCI bus; its answer is replaced when that module is imported. JAX takes the
library that TPU_LIBRARY_PATH names, and looks at the bus only to set up what a real host needs.
"""

import atexit
import importlib.abc
import importlib.machinery
import json
import os
import sys

HARDWARE = "torch_tpu._internal.utils.hardware"
# By the name of the chip: torch_tpu's name for it, the constant that holds its topologies, devices on one chip.
CHIPS = {
    "v4": ("TPU v4", "_V4_TOPOLOGY", 1),
    "v5e": ("TPU v5e", "_V5E_TOPOLOGY", 1),
    "v5p": ("TPU v5p", "_V5P_TOPOLOGY", 1),
    "v6e": ("TPU v6e", "_V6E_TOPOLOGY", 1),
    "tpu7x": ("TPU v7", "_V7_TOPOLOGY", 2),
}
READS = ("item", "tolist", "cpu", "numpy", "__bool__", "__float__", "__int__", "__index__")
reads = {}  # host reads by the line of the program


def patch_hardware(module):
    chip, _, shape = os.environ["TENFOLD_TPU_SIM"].partition(":")
    if chip not in CHIPS:
        raise RuntimeError(f"torch_tpu knows no {chip}; simulate one of {', '.join(CHIPS)}")
    name, topology, count = CHIPS[chip]
    for side in shape.split("x"):
        count *= int(side)
    module._scan_pci_tpus = lambda: (count, getattr(module, topology, None))
    module.get_tpu_device_name = lambda: name


def caller():
    """The nearest line that is not a library's."""
    frame = sys._getframe(2)
    while frame is not None:
        name = frame.f_code.co_filename
        if "site-packages" not in name and not name.startswith("<"):
            return f"{name}:{frame.f_lineno}"
        frame = frame.f_back
    return "?"


def count_reads(torch):
    """Counts, by line, the calls that wait for the device and copy from it."""

    def counted(plain):
        def read(self, *args, **kwargs):
            if self.device.type == "tpu":
                line = caller()
                reads[line] = reads.get(line, 0) + 1
            return plain(self, *args, **kwargs)

        return read

    for name in READS:
        setattr(torch.Tensor, name, counted(getattr(torch.Tensor, name)))


def write_reads():
    path = os.environ.get("TENFOLD_TPU_SIM_LOG")
    if path and reads:
        with open(path, "a") as log:
            for line, count in reads.items():
                log.write(json.dumps({"event": "read", "line": line, "count": count}) + "\n")


class After(importlib.abc.Loader):
    """Loads a module as its own loader does, then calls a function with it."""

    def __init__(self, loader, then):
        self.loader, self.then = loader, then

    def create_module(self, spec):
        return self.loader.create_module(spec)

    def exec_module(self, module):
        self.loader.exec_module(module)
        self.then(module)

    def __getattr__(self, name):  # get_source and the like
        return getattr(self.loader, name)


def loaded(_module):
    """torch_tpu's attention is a Mosaic kernel, which needs the real chip: without it torch_tpu takes plain ops."""
    torch = sys.modules["torch"]
    torch._C._set_sdp_use_flash(False)
    count_reads(torch)


THEN = {HARDWARE: patch_hardware, "torch_tpu._loader": loaded}


class Finder(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path, target=None):
        then = THEN.get(name)
        spec = importlib.machinery.PathFinder.find_spec(name, path) if then else None
        if spec is not None and spec.loader is not None:
            spec.loader = After(spec.loader, then)
        return spec


def install():
    if any(isinstance(finder, Finder) for finder in sys.meta_path):
        return
    sys.meta_path.insert(0, Finder())
    atexit.register(write_reads)
