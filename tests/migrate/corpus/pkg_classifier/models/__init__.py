from .cnn import SmallCNN
