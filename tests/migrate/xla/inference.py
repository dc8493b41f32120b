import torch
import torch_xla.core.xla_model as xm
import torch_xla.utils.serialization as xser
from torch import nn


class Classifier:
    def __init__(self, width=6):
        self.device = xm.xla_device()
        torch.manual_seed(0)
        self.model = nn.Sequential(nn.Linear(width, width), nn.Sigmoid()).to(self.device).eval()

    def save(self, path):
        xser.save(self.model.state_dict(), path, master_only=True)

    def restore(self, path):
        self.model.load_state_dict(torch.load(path, map_location="cpu"))

    @torch.no_grad()
    def __call__(self, x):
        out = self.model(x.to(self.device))
        xm.mark_step()
        if xm.is_xla_tensor(out):
            xm.wait_device_ops()
        return out.cpu()


if __name__ == "__main__":
    classifier = Classifier()
    classifier.save("classifier.pt")
    classifier.restore("classifier.pt")
    x = torch.linspace(-1, 1, 12).reshape(2, 6)
    for row in classifier(x):
        print([round(v, 4) for v in row.tolist()])
