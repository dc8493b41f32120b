"""The device "tenfold": ops are recorded, and compiled as one program when a value is read."""
