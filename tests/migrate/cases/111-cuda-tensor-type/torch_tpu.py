import torch
import torch_tpu

cuda = True if torch.accelerator.is_available() else False
Tensor = torch.FloatTensor


def labels(images):
    valid = Tensor(images.size(0), 1).to(torch.device("tpu")).fill_(1.0)
    return valid, images.type(Tensor).to(torch.device("tpu")), torch.LongTensor([1, 2]).to(torch.device("tpu"))


def kind(x):
    if (isinstance(x, torch.Tensor) and x.device.type == "tpu" and x.dtype == torch.float16) or x.type() == "torch.tpu.LongTensor":
        return "short"
    return isinstance(x.data, torch.Tensor) and x.data.device.type == "tpu" and x.data.dtype == torch.float32
