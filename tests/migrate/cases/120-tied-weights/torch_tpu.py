import torch
import torch.nn as nn
import torch_tpu
torch.__future__.set_swap_module_params_on_conversion(True)


class Model(nn.Module):
    def __init__(self, words, size):
        super().__init__()
        self.encoder = nn.Embedding(words, size)
        self.decoder = nn.Linear(size, words, bias=False)
        self.decoder.weight = self.encoder.weight

    def forward(self, x):
        return self.decoder(self.encoder(x))


model = Model(10, 4).to("tpu")
