"""Tenfold in PyTorch: the backend of torch.compile, the device "tenfold" (lazy/), tenfold.enable(), custom lowerings.

Nothing is imported here: importing tenfold does not import torch.
"""
