"""What hardware there is."""

from tenfold.compat.neurenix.hardware import tpu

__all__ = ["tpu"]
