import torch
import torchvision.models as models
from torchvision.models import resnet18
import torch_tpu


class RunningStatistics:
    """Batch norm that updates its running mean and variance in training: TorchTPU 0.2 leaves them as they are."""

    def forward(self, input):
        if not (self.training and self.track_running_stats):
            return super().forward(input)
        self._check_input_dim(input)
        output = torch.nn.functional.batch_norm(input, None, None, self.weight, self.bias, True, 0.0, self.eps)
        with torch.no_grad():
            axes = [axis for axis in range(input.dim()) if axis != 1]
            var, mean = torch.var_mean(input.to(self.running_mean.dtype), axes)
            self.num_batches_tracked += 1
            share = 1 / self.num_batches_tracked if self.momentum is None else self.momentum
            self.running_mean.lerp_(mean, share)
            self.running_var.lerp_(var, share)
        return output


class BatchNorm2d(RunningStatistics, torch.nn.BatchNorm2d):
    """torch.nn.BatchNorm2d, with running statistics."""


def with_running_statistics(model):
    """A model of a library, its batch norms with running statistics."""
    for module in model.modules():
        if type(module) is torch.nn.BatchNorm2d:
            module.__class__ = BatchNorm2d
    return model


model = with_running_statistics(models.__dict__["resnet50"]())
for other in with_running_statistics(resnet18(num_classes=10)), with_running_statistics(models.segmentation.fcn_resnet50()), models.vgg16(), with_running_statistics(models.vgg16_bn()):
    other.to("tpu")
model = model.to("tpu")
model(torch.rand(2, 3, 64, 64).to("tpu")).sum().backward()
