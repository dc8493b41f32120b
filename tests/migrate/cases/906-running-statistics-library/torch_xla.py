import torch
import torchvision.models as models
from torchvision.models import resnet18
import torch_xla

model = models.__dict__["resnet50"]()
for other in resnet18(num_classes=10), models.segmentation.fcn_resnet50(), models.vgg16(), models.vgg16_bn():
    other.to(torch_xla.device())
model = model.to(torch_xla.device())
model(torch.rand(2, 3, 64, 64).to(torch_xla.device())).sum().backward()
