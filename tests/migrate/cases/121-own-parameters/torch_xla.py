import torch
import torch.nn as nn
import torch_xla
torch.__future__.set_swap_module_params_on_conversion(True)


class Layer(nn.Linear):
    def __init__(self, size):
        super().__init__(size, size)
        self.opt = torch.optim.Adam(self.parameters())


layers = [Layer(4).to(torch_xla.device()), Layer(4).to(torch_xla.device())]
