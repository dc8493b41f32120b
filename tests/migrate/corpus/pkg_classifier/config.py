"""Settings; nothing here imports torch."""
DEVICE = "cuda"
EPOCHS = 2
BATCH = 8
